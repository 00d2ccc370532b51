// What the compressors share. Each has a file of its own that ends with its row (keep_k.cc has those of top-k and
// rand-k); factory.cc collects the rows in a table.
#pragma once

#include <memory>

#include "pollen/compress.h"

namespace pollen::compress {

// The largest s of qsgd. A level and its sign then fit one BitWriter::put().
inline constexpr std::uint32_t kMostLevels = std::uint32_t{1} << 24;
inline constexpr Index kMostCoordinates = 0xffffffff;  // indices are 32-bit

std::unique_ptr<const Compressor> make_scaled(std::unique_ptr<const Compressor> unbiased);
// A compressor that sends the last `tail` coordinates uncompressed and the others by `head`, which was made from
// `spec`. `head` is null if the tail is the whole vector.
std::unique_ptr<const Compressor> make_whole_tail(std::unique_ptr<const Compressor> head, const CompressorSpec& spec,
                                                  Index tail);

// The contraction constant α that an unbiased compressor with variance constant ω has.
constexpr double alpha_of_omega(double omega) { return omega < 1 ? 1 - omega : 0; }

}  // namespace pollen::compress
