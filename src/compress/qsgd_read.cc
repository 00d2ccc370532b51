// Reading the levels; the bytes may be hostile.
#include <algorithm>

#include "elias.h"
#include "qsgd_code.h"
#include "qsgd_groups.h"

namespace pollen::compress {
namespace {

// ± level · unit; a zero level gives +0 whatever the sign bit.
inline double signed_value(std::int32_t level, std::uint32_t negative, double unit) {
  const std::int32_t flip = -static_cast<std::int32_t>(negative);
  return static_cast<double>((level ^ flip) - flip) * unit;
}

// The digits 2·(level + 1) + sign of the next digits.size() dense codes; of a zero level the last digit is not its own.
template <std::size_t kGroup>
void take_digits(BitReader& reader, unsigned most_zeros, std::span<std::uint32_t> digits) {
  const auto take = [&](std::uint32_t& to) {
    const std::uint64_t window = reader.window();
    const unsigned zeros = leading_zeros(window);
    if (zeros > most_zeros) wire_error("code too long");
    to = static_cast<std::uint32_t>(window >> (62 - 2 * zeros));
    reader.skip(2 - static_cast<unsigned>(window >> 63));  // in two steps: this one need not wait for the zeros' count
    reader.skip(2 * zeros);
  };
  std::size_t j = 0;
  for (; j + kGroup <= digits.size(); j += kGroup) {
    reader.refill();
    for (std::size_t g = 0; g < kGroup; ++g) take(digits[j + g]);
  }
  for (; j < digits.size(); ++j) {
    reader.refill();
    take(digits[j]);
  }
}

// Values of dense digits; returns the highest level.
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
  constexpr std::size_t kBlock = 1024;
  alignas(64) std::uint32_t digits[kBlock];
  const unsigned most_zeros = log2_floor(std::uint64_t{scale.most_level} + 1);
  std::uint32_t highest = 0;
  with_group(scale.most_level, [&](auto group) {
    for (std::size_t first = 0; first < out.size(); first += kBlock) {
      const std::span<std::uint32_t> block(digits, std::min(kBlock, out.size() - first));
      take_digits<decltype(group)::value>(reader, most_zeros, block);
      highest = std::max(highest, values_of(block, scale.unit, out.data() + first));
    }
  });
  if (highest > scale.most_level) wire_error("level above the highest");
  reader.finish();
}

void take_sparse(BitReader reader, LevelScale scale, std::span<double> out) {
  constexpr std::size_t kBlock = 1024;  // zeros are written this far ahead, while the lines are in the cache
  const std::size_t d = out.size();
  const unsigned most_gap_zeros = log2_floor(d + 1);
  const unsigned most_level_zeros = log2_floor(scale.most_level);
  std::size_t next = 0;
  std::size_t cleared = 0;
  for (;;) {
    const std::size_t position = next + take_gamma(reader, most_gap_zeros) - 1;
    for (; cleared <= position && cleared < d; cleared += kBlock) {
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(cleared), std::min(kBlock, d - cleared), 0.0);
    }
    if (position >= d) {
      if (position > d) wire_error("gap past the end");
      break;
    }
    reader.ensure(2 * most_level_zeros + 2);
    const unsigned zeros = leading_zeros(reader.window());
    if (zeros > most_level_zeros) wire_error("code too long");
    const std::uint32_t digits = static_cast<std::uint32_t>(reader.window() >> (62 - 2 * zeros));
    if (digits >> 1 > scale.most_level) wire_error("level above the highest");
    out[position] = signed_value(static_cast<std::int32_t>(digits >> 1), digits & 1, scale.unit);
    reader.skip(2 * zeros + 2);
    next = position + 1;
  }
  reader.finish();
}

}  // namespace pollen::compress
