// The vectorised pass of qsgd: norm, random words, levels, decoded values and the lengths of their codes in one call.
// Same bits on AVX2 and AVX-512.
#pragma once

#include <span>

#include "pollen/compress.h"
#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen::compress {

struct Quantisation {
  float norm = 0;  // as on the wire. 0: all levels are zero, NaN: out of range; nothing was written then
  std::uint64_t nonzeros = 0;
  std::uint64_t dense_logs = 0;   // Σ ⌊log2(level + 1)⌋
  std::uint64_t sparse_logs = 0;  // Σ over non-zeros of ⌊log2 level⌋
};

struct QuantiseJob {
  const Encoding* what = nullptr;   // word j of its stream rounds coordinate j; decoded gets ± level · norm / s
  std::uint32_t* levels = nullptr;  // level · 2 + sign, aligned, room for whole groups of 64; null: not wanted
  // Where few non-zeros are expected: as find_nonzeros() makes them, and no levels.
  std::uint32_t* positions = nullptr;
  Quantisation result;
};

// s: the highest level. Several vectors at once, so that none waits for another's norm.
void quantise(std::span<QuantiseJob> jobs, std::uint32_t s);

// Positions of what is not zero, in order. Writes up to kBeyond more.
inline constexpr std::size_t kBeyond = 8;
void find_nonzeros(std::span<const double> decoded, std::uint32_t* positions);

}  // namespace pollen::compress
