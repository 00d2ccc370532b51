// Writes qsgd's levels in the sparse layout; qsgd_write_dense.cc writes the dense one.
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

// Writes gaps, levels and signs. digits_of(position) returns level·2 + sign.
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

void put_sparse(BitWriter writer, Levels levels, Positions nonzero) {
  put_gaps_and([&](std::size_t position) { return levels[position]; }, writer, levels.size(), nonzero);
}

void put_sparse(BitWriter writer, std::span<const double> decoded, double per_unit, Positions nonzero) {
  put_gaps_and([&](std::size_t position) { return level_and_sign(decoded[position], per_unit); }, writer,
               decoded.size(), nonzero);
}

}  // namespace pollen::compress
