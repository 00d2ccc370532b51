// The length of a qsgd message in Elias codes (docs/formats/compressors.md), also for code that quantises by itself,
// such as a GPU's.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace pollen {

namespace compress {
inline constexpr unsigned kNormFraction = 8;  // bits of a norm's fraction; its exponent has the 8 bits of float32's
}

// The norm rounded up to what is sent. It is 0 below float32's normal range, NaN above its range or if not finite. The
// rounding is done on the bits as an integer, because conversions would lie on the longest path of the kernel.
inline double qsgd_norm(double norm) {
  if (!(norm <= 0x1.FFp127)) return std::numeric_limits<double>::quiet_NaN();
  if (norm < 0x1p-126) return 0;
  constexpr std::uint64_t kBelow = (std::uint64_t{1} << (52 - compress::kNormFraction)) - 1;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(norm) + kBelow) & ~kBelow);
}

// The sums over a vector's levels on which the length of its codes depends.
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
// Bits of one vector of a message in the shorter of these layouts, with its norm and a flag.
inline std::uint64_t qsgd_part_bits(float norm, std::uint64_t shorter) { return 16 + (norm > 0 ? 1 + shorter : 0); }
// Bits of a whole message in Elias codes, from the sum of its vectors' bits, filled up to whole bytes. A message whose
// norms are all zero has none.
inline std::int64_t qsgd_elias_bits(std::uint64_t parts) { return static_cast<std::int64_t>((1 + parts + 7) / 8 * 8); }

}  // namespace pollen
