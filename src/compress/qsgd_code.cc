// Reads the levels of qsgd messages and writes the sparse layout; qsgd_write_dense.cc writes the dense one. The bytes
// that are read may be hostile, so every code is checked.
#include "qsgd_code.h"

#include <algorithm>
#include <cmath>

namespace pollen::compress {
namespace {

// Returns ± level · unit. A zero level gives +0 whatever the sign bit is.
inline double signed_value(std::int32_t level, std::uint32_t negative, double unit) {
  const std::int32_t flip = -static_cast<std::int32_t>(negative);
  return static_cast<double>((level ^ flip) - flip) * unit;
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

// Reads the digits of the next `count` codes of two readers in turns. A code starts where the previous one ends, so one
// reader alone would spend most of its time waiting.
template <std::size_t kGroup>
std::array<BitReader, 2> take_some(BitReader first, BitReader second, unsigned most_zeros, std::size_t count,
                                   std::uint32_t (*digits)[kDigits]) {
  std::size_t j = 0;
  for (; j + kGroup <= count; j += kGroup) {
    first.refill();
    second.refill();
    for (std::size_t g = 0; g < kGroup; ++g) {
      digits[0][j + g] = take_digits(first, most_zeros);
      digits[1][j + g] = take_digits(second, most_zeros);
    }
  }
  first.refill();
  second.refill();
  for (; j < count; ++j) {
    digits[0][j] = take_digits(first, most_zeros);
    digits[1][j] = take_digits(second, most_zeros);
  }
  return {first, second};
}

// Turns dense digits into values and returns the highest level.
std::uint32_t values_of(std::span<const std::uint32_t> digits, double unit, double* out) {
  std::uint32_t highest = 0;
  for (std::size_t j = 0; j < digits.size(); ++j) {
    const std::uint32_t level = (digits[j] >> 1) - 1;
    highest = std::max(highest, level);
    out[j] = signed_value(static_cast<std::int32_t>(level), digits[j] & 1, unit);
  }
  return highest;
}

}  // namespace

void take_dense(BitReader reader, LevelScale scale, std::span<double> out) {
  alignas(64) std::uint32_t digits[kDigits];
  const unsigned most_zeros = log2_floor(std::uint64_t{scale.most_level} + 1);
  std::uint32_t highest = 0;
  with_group(scale.most_level, [&](auto group) {
    for (std::size_t first = 0; first < out.size(); first += kDigits) {
      const std::size_t count = std::min(kDigits, out.size() - first);
      reader = take_some<group>(reader, most_zeros, count, digits);
      highest = std::max(highest, values_of({digits, count}, scale.unit, out.data() + first));
    }
  });
  if (highest > scale.most_level) wire_error(highest, "as a level", "at most", scale.most_level);
  reader.finish();
}

void take_dense_two(std::array<BitReader, 2> readers, std::array<double, 2> units, std::uint32_t most_level,
                    const std::array<std::span<double>, 2>& out) {
  alignas(64) std::uint32_t digits[2][kDigits];
  const unsigned most_zeros = log2_floor(std::uint64_t{most_level} + 1);
  const std::size_t d = out[0].size();
  std::uint32_t highest = 0;
  with_group(most_level, [&](auto group) {
    for (std::size_t first = 0; first < d; first += kDigits) {
      const std::size_t count = std::min(kDigits, d - first);
      readers = take_some<group>(readers[0], readers[1], most_zeros, count, digits);
      for (std::size_t i = 0; i < 2; ++i)
        highest = std::max(highest, values_of({digits[i], count}, units[i], out[i].data() + first));
    }
  });
  if (highest > most_level) wire_error(highest, "as a level", "at most", most_level);
  for (const BitReader& reader : readers) reader.finish();
}

namespace {

// Calls see(position, value) for every non-zero of d coordinates, in order.
template <class See>
inline void read_sparse(BitReader reader, LevelScale scale, std::size_t d, See see) {
  const unsigned most_gap_zeros = log2_floor(d + 1);
  const unsigned most_level_zeros = log2_floor(scale.most_level);
  std::size_t next = 0;
  for (;;) {
    const std::size_t position = next + take_gamma(reader, most_gap_zeros) - 1;
    if (position >= d) {
      if (position > d) wire_error(position, "as a position", "at most", d);
      break;
    }
    reader.ensure(2 * most_level_zeros + 2);
    const unsigned zeros = leading_zeros(reader.window());
    if (zeros > most_level_zeros) wire_error(zeros, "zeros before a level", "at most", most_level_zeros);
    const std::uint32_t digits = static_cast<std::uint32_t>(reader.window() >> (62 - 2 * zeros));
    if (digits >> 1 > scale.most_level) wire_error(digits >> 1, "as a level", "at most", scale.most_level);
    see(position, signed_value(static_cast<std::int32_t>(digits >> 1), digits & 1, scale.unit));
    reader.skip(2 * zeros + 2);
    next = position + 1;
  }
  reader.finish();
}

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

void take_sparse(BitReader reader, LevelScale scale, std::span<double> out) {
  constexpr std::size_t kBlock = 1024;  // zeros are written this far ahead, so that their cache lines are still near
  std::size_t cleared = 0;
  const auto clear_to = [&](std::size_t position) {
    for (; cleared <= position; cleared += kBlock) {
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(cleared), std::min(kBlock, out.size() - cleared), 0.0);
    }
  };
  read_sparse(reader, scale, out.size(), [&](std::size_t position, double value) {
    clear_to(position);
    out[position] = value;
  });
  if (!out.empty()) clear_to(out.size() - 1);
}

void add_sparse(BitReader reader, LevelScale scale, double weight, std::span<double> out) {
  read_sparse(reader, scale, out.size(),
              [&](std::size_t position, double value) { out[position] = std::fma(weight, value, out[position]); });
}

void put_sparse(BitWriter writer, Levels levels, Positions nonzero) {
  put_gaps_and([&](std::size_t position) { return levels[position]; }, writer, levels.size(), nonzero);
}

void put_sparse(BitWriter writer, std::span<const double> decoded, double per_unit, Positions nonzero) {
  put_gaps_and([&](std::size_t position) { return level_and_sign(decoded[position], per_unit); }, writer,
               decoded.size(), nonzero);
}

}  // namespace pollen::compress
