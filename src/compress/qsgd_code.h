// The two layouts of qsgd's levels, after Alistarh et al. 2017 (QSGD, section 3.2). A level comes as level·2 + sign.
//
// Dense: gamma(level + 1) and, after a non-zero level, a sign bit, for each coordinate.
// Sparse: for each non-zero gamma(gap), gamma(level), sign, with gap its distance from the last one (the first: from
// position -1); at the end the gap to position d.
#pragma once

#include <array>
#include <span>

#include "bit_reader.h"
#include "bit_writer.h"
#include "pollen/types.h"

namespace pollen::compress {

using Levels = std::span<const std::uint32_t>;
using Bitmap = std::span<const std::uint64_t>;  // bit j % 64 of word j / 64: level j is not zero; zeros after d

// Length of all gaps of the sparse layout.
std::uint64_t gap_length(Bitmap nonzero, std::size_t d);

// Reads levels in whole groups of 64 bytes, aligned.
void put_dense(BitWriter writer, Levels levels, std::uint32_t most_level);
void put_sparse(BitWriter writer, Levels levels, Bitmap nonzero);

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

}  // namespace pollen::compress
