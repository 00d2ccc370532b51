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

// The shortest decimal that reads back as the same double; "nan", "inf", "-inf".
void append_number(std::string& text, double value);

std::string short_number(double value);     // four significant digits, for people
std::string human_bits(double bits);        // "12.3 Mbit"
std::string human_bytes(double bytes);      // "1.5 MB"
std::string human_rate(double rate);        // "41.2k"
std::string human_seconds(double seconds);  // "0.42 s", "0:12", "1:02:03"
std::string grouped(std::int64_t value);    // "1,234,567"

std::size_t display_width(std::string_view utf8);  // code points
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);
std::string shorten(std::string_view utf8, std::size_t width);  // with "…" where it is cut

std::string csv_field(const std::string& text);  // in quotes where it must be

// One block a number, ▁ at `low` to █ at `high`; a space where it is not finite.
std::string sparkline(std::span<const double> values, double low, double high);

// Columns as wide as their widest cell; the first column to the left, the others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Of the last row (the header before there is one): a terminal's SGR code, "1;31", for one of its cells.
  void style(std::size_t column, std::string code) { styles_[{rows_.size() - 1, column}] = std::move(code); }
  void left(std::size_t column) { left_.push_back(column); }  // this column to the left as well
  std::string text(std::string_view indent = "  ") const;

 private:
  bool to_left(std::size_t column) const;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_ = {0};
  std::map<std::pair<std::size_t, std::size_t>, std::string> styles_;  // by row and column
};

}  // namespace pollen::sink
