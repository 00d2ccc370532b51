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

template <class F>
inline void for_each_set(Bitmap bitmap, F f) {
  for (std::size_t i = 0; i < bitmap.size(); ++i) {
    for (std::uint64_t word = bitmap[i]; word != 0; word &= word - 1) {
      f(i * 64 + static_cast<unsigned>(std::countr_zero(word)));
    }
  }
}

// Length of the gaps between the set bits of a word: one bit each, and two more for each power of two from 2 on that
// the gap reaches, that is, for each m = 1, 3, 7, ... such that the m bits below are clear.
inline std::uint64_t inner_gap_length(std::uint64_t word) {
  const std::uint64_t ends = word & (word - 1);  // all but the lowest
  int reached = 0;
  std::uint64_t after = word << 1;  // what stands 1..m bits above a set bit
  for (unsigned m = 1; m < 64; m = 2 * m + 1) {
    const std::uint64_t far = ends & ~after;
    if (far == 0) break;
    reached += std::popcount(far);
    after |= (after | after << 1) << m;
  }
  return static_cast<std::uint64_t>(std::popcount(ends) + 2 * reached);
}

}  // namespace

std::uint64_t gap_length(Bitmap nonzero, std::size_t d) {
  std::uint64_t length = 0;
  std::size_t next = 0;  // one after the last non-zero, so that a gap is position + 1 - next
  for (std::size_t i = 0; i < nonzero.size(); ++i) {
    const std::uint64_t word = nonzero[i];
    if (word == 0) continue;
    length += gamma_length(i * 64 + static_cast<unsigned>(std::countr_zero(word)) + 1 - next) + inner_gap_length(word);
    next = i * 64 + log2_floor(word) + 1;
  }
  return length + gamma_length(d + 1 - next);
}

void put_sparse(BitWriter writer, Levels levels, Bitmap nonzero) {
  std::size_t next = 0;
  for_each_set(nonzero, [&](std::size_t position) {
    const std::uint64_t gap = position + 1 - next;
    const std::uint32_t digits = levels[position];
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
  });
  put_gamma(writer, levels.size() + 1 - next);
}

}  // namespace pollen::compress
