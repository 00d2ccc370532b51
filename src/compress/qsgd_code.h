// The two layouts of qsgd's levels, after Alistarh et al. 2017 (QSGD, section 3.2). A level comes as level·2 + sign.
//
// Dense: gamma(level + 1) and, after a non-zero level, a sign bit, for each coordinate.
// Sparse: for each non-zero gamma(gap), gamma(level), sign, with gap its distance from the last one (the first: from
// position -1); at the end the gap to position d.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "bit_reader.h"
#include "bit_writer.h"
#include "pollen/types.h"

namespace pollen::compress {

using Levels = std::span<const std::uint32_t>;
using Positions = std::span<const std::uint32_t>;  // of the non-zeros, in order

// level·2 + sign of a decoded value, per_unit = s / norm: their product is the level up to a rounding or two.
inline std::uint32_t level_and_sign(double decoded, double per_unit) {
  const auto level = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::abs(decoded) * per_unit + 0.5));
  return 2 * level + static_cast<std::uint32_t>(std::signbit(decoded));
}

// Length of all gaps of the sparse layout.
std::uint64_t gap_length(Positions nonzero, std::size_t d);

// Reads levels in whole groups of 64 bytes, aligned.
void put_dense(BitWriter writer, Levels levels, std::uint32_t most_level);
void put_sparse(BitWriter writer, Levels levels, Positions nonzero);
void put_sparse(BitWriter writer, std::span<const double> decoded, double per_unit, Positions nonzero);

// How to turn levels into values.
struct LevelScale {
  std::uint32_t most_level = 1;
  double unit = 0;
};

void take_dense(BitReader reader, LevelScale scale, std::span<double> out);

// Two vectors of the same size side by side.
void take_dense_two(std::array<BitReader, 2> readers, std::array<double, 2> units, std::uint32_t most_level,
                    const std::array<std::span<double>, 2>& out);

void take_sparse(BitReader reader, LevelScale scale, std::span<double> out);
// out += weight · the values, fused, touching the non-zeros alone.
void add_sparse(BitReader reader, LevelScale scale, double weight, std::span<double> out);

}  // namespace pollen::compress
