// One maker a kind, called by the factory with arguments it has checked.
#pragma once

#include <memory>

#include "pollen/compress.h"

namespace pollen::compress {

inline constexpr std::uint32_t kMostLevels = std::uint32_t{1} << 24;  // qsgd's s; a level and its sign fit one put()
inline constexpr Index kMostCoordinates = 0xffffffff;                 // indices are 32-bit

std::unique_ptr<const Compressor> make_identity(int bits);
std::unique_ptr<const Compressor> make_qsgd(std::uint32_t levels);
std::unique_ptr<const Compressor> make_top_k(Index k, int bits, Index d);
std::unique_ptr<const Compressor> make_rand_k(Index k, int bits);
std::unique_ptr<const Compressor> make_natural();
std::unique_ptr<const Compressor> make_scaled(std::unique_ptr<const Compressor> unbiased);
// `head` is of `spec`; null where all coordinates go whole.
std::unique_ptr<const Compressor> make_whole_tail(std::unique_ptr<const Compressor> head, const CompressorSpec& spec,
                                                  Index tail);

// α of an unbiased kind with this ω.
constexpr double alpha_of_omega(double omega) { return omega < 1 ? 1 - omega : 0; }

}  // namespace pollen::compress
