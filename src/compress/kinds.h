// One row per compressor, each in the source file of its name. The table in factory.cc has them all.
#pragma once

#include <memory>

#include "pollen/compress.h"

namespace pollen::compress {

inline constexpr std::uint32_t kMostLevels = std::uint32_t{1} << 24;  // qsgd's s; a level and its sign fit one put()
inline constexpr Index kMostCoordinates = 0xffffffff;                 // indices are 32-bit

CompressorRow identity_row();
CompressorRow qsgd_row();
CompressorRow top_k_row();
CompressorRow rand_k_row();
CompressorRow natural_row();

std::unique_ptr<const Compressor> make_scaled(std::unique_ptr<const Compressor> unbiased);
// `head` is of `spec`; null where all coordinates go whole.
std::unique_ptr<const Compressor> make_whole_tail(std::unique_ptr<const Compressor> head, const CompressorSpec& spec,
                                                  Index tail);

// α of an unbiased kind with this ω.
constexpr double alpha_of_omega(double omega) { return omega < 1 ? 1 - omega : 0; }

}  // namespace pollen::compress
