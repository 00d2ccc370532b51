#include "sink/text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pollen::sink {

namespace {

std::string scaled(double value, double base, const std::array<const char*, 6>& units) {
  std::size_t unit = 0;
  while (std::abs(value) >= base && unit + 1 < units.size()) value /= base, ++unit;
  return unit == 0 ? fmt::format("{:.0f}{}", value, units[0]) : fmt::format("{:.3g}{}", value, units[unit]);
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

void append_number(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";  // whatever its sign
    return;
  }
  std::array<char, 40> digits{};
  const char* end = fmt::format_to(digits.data(), FMT_COMPILE("{}"), value);
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

std::string short_number(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e6)) {
    const int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 || size == 0 ? 3 : 5;
    return fmt::format("{:.{}f}", value, digits);
  }
  return fmt::format("{:.3g}", value);
}

std::string human_bits(double bits) {
  return scaled(bits, 1000, {" bit", " kbit", " Mbit", " Gbit", " Tbit", " Pbit"});
}

std::string human_bytes(double bytes) { return scaled(bytes, 1000, {" B", " kB", " MB", " GB", " TB", " PB"}); }

std::string human_rate(double rate) {
  if (rate < 10) return fmt::format("{:.2g}", rate);
  return scaled(rate, 1000, {"", "k", "M", "G", "T", "P"});
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string grouped(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::size_t display_width(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), starts_character));
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t has = display_width(text);
  return std::string(text).append(width > has ? width - has : 0, ' ');
}

std::string shorten(std::string_view utf8, std::size_t width) {
  if (display_width(utf8) <= width) return std::string(utf8);
  std::size_t seen = 0, bytes = 0;
  for (; bytes < utf8.size(); ++bytes)
    if (starts_character(utf8[bytes]) && ++seen == width) break;
  return std::string(utf8.substr(0, bytes)) + "…";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string sparkline(std::span<const double> values, double low, double high) {
  static constexpr std::array kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const double value : values) {
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.5;
    text += std::isfinite(value) ? kBlocks[static_cast<std::size_t>(std::lround(share * 7))] : " ";
  }
  return text;
}

std::string TextTable::text(std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], display_width(row[j]));
  }
  std::string text;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto& row = rows_[i];
    std::string line(indent);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j > 0) line += "  ";
      const std::string space(widths[j] - display_width(row[j]), ' ');
      const auto style = styles_.find({i, j});
      const std::string cell =
          style == styles_.end() ? row[j] : fmt::format("\x1b[{}m{}\x1b[0m", style->second, row[j]);
      line += std::ranges::count(left_, j) > 0 ? cell + space : space + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace pollen::sink
