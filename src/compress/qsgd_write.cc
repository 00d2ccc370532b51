// Writing the levels, sparse layout; the dense one is in qsgd_write_dense.cc.
#include <bit>

#include "elias.h"
#include "qsgd_code.h"

namespace pollen::compress {
namespace {

struct Code {
  std::uint64_t value = 0;
  unsigned length = 0;

  void append(Code next) {
    value = value << next.length | next.value;
    length += next.length;
  }
};

// digits_of(position): level·2 + sign.
template <class F>
inline void put_gaps_and(F digits_of, BitWriter writer, std::size_t d, Positions positions) {
  std::size_t next = 0;
  for (const std::uint32_t position : positions) {
    const std::uint64_t gap = position + 1 - next;
    const std::uint32_t digits = digits_of(position);
    const Code level{digits, 2 * log2_floor(digits)};
    Code code{gap, gamma_length(gap)};
    if (code.length + level.length <= BitWriter::kMost) {
      code.append(level);
      writer.put(code.value, code.length);
    } else {
      put_gamma(writer, gap);
      writer.put(level.value, level.length);
    }
    next = position + 1;
  }
  put_gamma(writer, d + 1 - next);
}

}  // namespace

std::uint64_t gap_length(Positions nonzero, std::size_t d) {
  if (nonzero.empty()) return gamma_length(d + 1);
  const std::uint64_t gaps = nonzero.size() - 1;
  std::uint64_t biased_logs = 0;  // by a double's exponent, which compilers turn into vectors
  for (std::size_t k = 1; k <= gaps; ++k)
    biased_logs += std::bit_cast<std::uint64_t>(static_cast<double>(nonzero[k] - nonzero[k - 1])) >> 52;
  return gamma_length(nonzero[0] + 1U) + 2 * (biased_logs - 1023 * gaps) + gaps + gamma_length(d - nonzero.back());
}

void put_sparse(BitWriter writer, Levels levels, Positions nonzero) {
  put_gaps_and([&](std::size_t position) { return levels[position]; }, writer, levels.size(), nonzero);
}

void put_sparse(BitWriter writer, std::span<const double> decoded, double per_unit, Positions nonzero) {
  put_gaps_and([&](std::size_t position) { return level_and_sign(decoded[position], per_unit); }, writer,
               decoded.size(), nonzero);
}

}  // namespace pollen::compress
