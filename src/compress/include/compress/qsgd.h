// The length of a qsgd message (docs/formats/compressors.md), for code that quantises by itself, such as a GPU's.
#pragma once

#include <cstdint>

namespace pollen {

// The sums over a vector's levels on which the length of its message depends.
struct QsgdCounts {
  std::uint64_t dimension = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t dense_logs = 0;   // Σ ⌊log2(level + 1)⌋
  std::uint64_t sparse_logs = 0;  // Σ over non-zeros of ⌊log2 level⌋
};

// Bits of all levels in the dense layout.
inline std::uint64_t qsgd_dense_bits(const QsgdCounts& c) { return c.dimension + c.nonzeros + 2 * c.dense_logs; }
// Bits of all levels in the sparse layout. `gap_bits` is the total length of the gamma codes of all gaps.
inline std::uint64_t qsgd_sparse_bits(const QsgdCounts& c, std::uint64_t gap_bits) {
  return 2 * (c.nonzeros + c.sparse_logs) + gap_bits;
}
// Bits of the whole message: the norm and, if it is above zero, a flag bit and the `shorter` layout, filled up to whole
// bytes.
inline std::int64_t qsgd_bits(float norm, std::uint64_t shorter) {
  return static_cast<std::int64_t>(norm > 0 ? 32 + (1 + shorter + 7) / 8 * 8 : 32);
}

}  // namespace pollen
