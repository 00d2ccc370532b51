#include "report/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace pollen::report {

namespace {

constexpr double kTop = 65534;
constexpr std::uint16_t kMissing = 65535;

struct Range {
  double low = 0, high = 0;
};

Range range_of(std::span<const double> values) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range.low <= range.high ? range : Range{};
}

// Maps a value to 16 bits. It works with halves, so that numbers near the largest double do not overflow.
std::uint16_t scaled(double value, const Range& range) {
  if (!std::isfinite(value)) return kMissing;
  const double width = range.high / 2 - range.low / 2;
  if (!(width > 0)) return 0;
  const double share = (value / 2 - range.low / 2) / width;
  return static_cast<std::uint16_t>(std::lround(std::clamp(share, 0.0, 1.0) * kTop));
}

template <class Word>
std::string little_endian(std::span<const Word> words) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(words.size() * sizeof(Word));
  for (const Word word : words)
    for (std::size_t b = 0; b < sizeof(Word); ++b) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
  return base64(bytes);
}

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 3; ++b) word = word << 8 | (b < have ? bytes[i + b] : 0U);
    for (std::size_t d = 0; d < 4; ++d) text += d <= have ? kDigits[word >> (18 - 6 * d) & 63U] : '=';
  }
  return text;
}

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const std::string digits = fmt::format("{:.9g}", value);
  double brief = value;
  std::from_chars(digits.data(), digits.data() + digits.size(), brief);
  return std::isfinite(brief) ? brief : value;
}

Json numbers(std::span<const double> values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number(value));
  return json;
}

Json counts_block(const std::vector<std::size_t>& shape, std::span<const std::uint32_t> values) {
  return {{"type", "u32"}, {"shape", shape}, {"data", little_endian(values)}};
}

Json scaled_block(const std::vector<std::size_t>& shape, std::span<const double> values, const double* low) {
  const std::size_t each = shape.front() == 0 ? 0 : values.size() / shape.front();
  std::vector<std::uint16_t> words;
  words.reserve(values.size());
  std::vector<double> lows, highs;
  for (std::size_t i = 0; i < shape.front(); ++i) {
    const auto mine = values.subspan(i * each, each);
    Range range = range_of(mine);
    if (low != nullptr) range.low = *low;
    lows.push_back(range.low);
    highs.push_back(range.high);
    for (const double value : mine) words.push_back(scaled(value, range));
  }
  return {{"type", "u16"},
          {"shape", shape},
          {"data", little_endian(std::span<const std::uint16_t>(words))},
          {"low", numbers(lows)},
          {"high", numbers(highs)}};
}

}  // namespace pollen::report
