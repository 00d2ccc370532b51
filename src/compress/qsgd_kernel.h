// The vectorised pass of qsgd: norm, random words, levels, decoded values and the lengths of their codes in one call.
// Same bits on AVX2 and AVX-512.
#pragma once

#include <span>

#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen::compress {

struct QuantiseJob {
  std::span<const double> v;
  const Stream* stream = nullptr;   // word j rounds coordinate j
  std::uint32_t s = 1;              // the highest level
  double* decoded = nullptr;        // ± level · norm / s
  std::uint32_t* levels = nullptr;  // level · 2 + sign, aligned, room for whole groups of 64; null: not wanted
  std::uint64_t* bitmap = nullptr;  // bit j % 64 of word j / 64: level j is not zero; zeros after the last
};

struct Quantisation {
  float norm = 0;  // as on the wire. 0: all levels are zero, NaN: out of range; nothing was written then
  std::uint64_t nonzeros = 0;
  std::uint64_t dense_logs = 0;   // Σ ⌊log2(level + 1)⌋
  std::uint64_t sparse_logs = 0;  // Σ over non-zeros of ⌊log2 level⌋
};

Quantisation quantise(const QuantiseJob& job);

}  // namespace pollen::compress
