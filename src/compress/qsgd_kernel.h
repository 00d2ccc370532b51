// The vectorised pass of qsgd: levels, decoded values and the lengths of their codes. Same bits on AVX2 and AVX-512.
#pragma once

#include "pollen/types.h"

namespace pollen::compress {

// A run of `count` coordinates. Levels and bitmap are written in whole groups of eight, padded with zeros.
struct QuantiseJob {
  const double* v = nullptr;
  const std::uint32_t* words = nullptr;  // one a coordinate, padded(count) of them, aligned to 32 bytes
  std::size_t count = 0;
  double scale = 0;                 // s / norm
  double unit = 0;                  // norm / s
  double top = 0;                   // s
  double* decoded = nullptr;        // ± level · unit
  std::uint32_t* levels = nullptr;  // level · 2 + sign, aligned; null: not wanted
  std::uint8_t* bitmap = nullptr;   // bit j % 8 of byte j / 8: level j is not zero
};

// Sums over the coordinates of a vector, added to by each run.
struct QuantiseSums {
  std::uint64_t nonzeros = 0;
  std::uint64_t dense_logs = 0;   // Σ ⌊log2(level + 1)⌋
  std::uint64_t sparse_logs = 0;  // Σ over non-zeros of ⌊log2 level⌋
};

void quantise(const QuantiseJob& job, QuantiseSums& sums);

}  // namespace pollen::compress
