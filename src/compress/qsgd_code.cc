// Reads qsgd's levels in both Elias layouts and writes the sparse one; qsgd_write_dense.cc writes the dense one. The
// bytes that are read may be hostile, so every code is checked.
#include "qsgd_code.h"

#include <algorithm>

namespace pollen::compress {
namespace {

// Returns ± level.
inline std::int32_t with_sign(std::uint32_t level, std::uint32_t negative) {
  const std::int32_t flip = -static_cast<std::int32_t>(negative);
  return (static_cast<std::int32_t>(level) ^ flip) - flip;
}

// Reads the next dense code and returns 2·(level + 1) + sign. A zero level has no sign bit: its lowest bit here belongs
// to the next code and must be ignored.
inline std::uint32_t take_digits(BitReader& reader, unsigned most_zeros) {
  const unsigned zeros = leading_zeros(reader.window());
  if (zeros > most_zeros) [[unlikely]]
    wire_error(zeros, "zeros before a level", "at most", most_zeros);
  const unsigned length = 2 * zeros + 2;  // sign included
  const auto digits = static_cast<std::uint32_t>(reader.window() >> (64 - length));
  reader.skip(length - static_cast<unsigned>(reader.window() >> 63));
  return digits;
}

constexpr std::size_t kDigits = 1024;  // codes decoded at a time

// Reads the digits of the next `count` codes, kGroup per refill, and returns the advanced reader. It works on a copy of
// the reader, which the compiler may keep in registers whatever is stored through the pointer.
template <std::size_t kGroup>
BitReader take_some(BitReader reader, unsigned most_zeros, std::size_t count, std::uint32_t* digits) {
  std::size_t j = 0;
  for (; j + kGroup <= count; j += kGroup) {
    reader.refill();
    for (std::size_t g = 0; g < kGroup; ++g) digits[j + g] = take_digits(reader, most_zeros);
  }
  reader.refill();  // enough for the remaining codes, which are fewer than a group
  for (; j < count; ++j) digits[j] = take_digits(reader, most_zeros);
  return reader;
}

}  // namespace

BitReader take_dense(BitReader reader, std::uint32_t most_level, std::span<std::int32_t> levels) {
  alignas(64) std::uint32_t digits[kDigits];
  const unsigned most_zeros = log2_floor(std::uint64_t{most_level} + 1);
  with_group(most_level, [&](auto group) {
    for (std::size_t first = 0; first < levels.size(); first += kDigits) {
      const std::size_t count = std::min(kDigits, levels.size() - first);
      reader = take_some<group>(reader, most_zeros, count, digits);
      for (std::size_t j = 0; j < count; ++j) levels[first + j] = with_sign((digits[j] >> 1) - 1, digits[j] & 1);
    }
  });
  return reader;
}

BitReader take_sparse(BitReader reader, std::uint32_t most_level, std::span<std::int32_t> levels) {
  const std::size_t d = levels.size();
  const unsigned most_gap_zeros = log2_floor(d + 1);
  const unsigned most_level_zeros = log2_floor(most_level);
  std::ranges::fill(levels, 0);
  for (std::size_t next = 0;;) {
    const std::size_t position = next + take_gamma(reader, most_gap_zeros) - 1;
    if (position > d) wire_error(position, "as a position", "at most", d);
    if (position == d) return reader;
    reader.ensure(2 * most_level_zeros + 2);
    const unsigned zeros = leading_zeros(reader.window());
    if (zeros > most_level_zeros) wire_error(zeros, "zeros before a level", "at most", most_level_zeros);
    const auto digits = static_cast<std::uint32_t>(reader.window() >> (62 - 2 * zeros));
    levels[position] = with_sign(digits >> 1, digits & 1);
    reader.skip(2 * zeros + 2);
    next = position + 1;
  }
}

namespace {

struct Code {
  std::uint64_t value = 0;
  unsigned length = 0;

  void append(Code next) {
    value = value << next.length | next.value;
    length += next.length;
  }
};

}  // namespace

BitWriter put_sparse(BitWriter writer, Levels levels, Positions nonzero) {
  std::size_t next = 0;
  for (const std::size_t position : nonzero) {
    const std::uint64_t gap = position + 1 - next;
    const Code level{levels[position], 2 * log2_floor(levels[position])};
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
  put_gamma(writer, levels.size() + 1 - next);
  return writer;
}

}  // namespace pollen::compress
