// How long a message of qsgd is (src/compress/qsgd.cc), for those who quantise elsewhere.
#pragma once

#include <cstdint>

namespace pollen {

struct QsgdCounts {
  std::uint64_t dimension = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t dense_logs = 0;   // Σ ⌊log2(level + 1)⌋
  std::uint64_t sparse_logs = 0;  // Σ over non-zeros of ⌊log2 level⌋
};

inline std::uint64_t qsgd_dense_bits(const QsgdCounts& c) { return c.dimension + c.nonzeros + 2 * c.dense_logs; }
// `gap_bits`: of the gammas of all gaps.
inline std::uint64_t qsgd_sparse_bits(const QsgdCounts& c, std::uint64_t gap_bits) {
  return 2 * (c.nonzeros + c.sparse_logs) + gap_bits;
}
// The whole message, the norm (above zero) included: the shorter layout behind a flag, in whole bytes.
inline std::int64_t qsgd_bits(std::uint64_t shorter) { return static_cast<std::int64_t>(32 + (1 + shorter + 7) / 8 * 8); }
inline constexpr std::int64_t kQsgdNothing = 32;  // bits of a norm of zero

}  // namespace pollen
