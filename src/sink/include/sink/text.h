// Small pieces of text that reports, progress and tables share. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollen::sink {

// Appends the shortest decimal that reads back as the same double, or "nan", "inf" or "-inf".
void append_number(std::string& text, double value);

std::string short_number(double value);     // four significant digits, for people
std::string human_bits(double bits);        // such as "12.3 Mbit"
std::string human_bytes(double bytes);      // such as "1.5 MB"
std::string human_rate(double rate);        // such as "41.2k"
std::string human_seconds(double seconds);  // such as "0.42 s", "0:12", "1:02:03"
std::string grouped(std::int64_t value);    // such as "1,234,567"

std::size_t display_width(std::string_view utf8);  // counts code points
std::string pad_right(std::string_view text, std::size_t width);
std::string shorten(std::string_view utf8, std::size_t width);  // marks a cut by "…"

// The parts of a text between separators, at least one; empty parts are kept.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string csv_field(const std::string& text);  // in quotes if it needs them

// Draws one block character per number, from ▁ at `low` to █ at `high`, and a space if it is not finite.
std::string sparkline(std::span<const double> values, double low, double high);

// Aligns cells in columns as wide as their widest cell. The first column is aligned to the left, the others to the
// right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Colours one cell of the last row (or of the header, if there is no row yet) with a terminal's SGR code such as
  // "1;31".
  void style(std::size_t column, std::string code) { styles_[{rows_.size() - 1, column}] = std::move(code); }
  void left(std::size_t column) { left_.push_back(column); }  // aligns another column to the left
  std::string text(std::string_view indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_ = {0};
  std::map<std::pair<std::size_t, std::size_t>, std::string> styles_;  // by row and column
};

}  // namespace pollen::sink
