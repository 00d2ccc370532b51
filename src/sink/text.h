// Small pieces of text that reports, progress and tables share. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// Columns as wide as their widest cell; the first column to the left, the others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void left(std::size_t column) { left_.push_back(column); }  // this column to the left as well
  std::string text(std::string_view indent = "  ") const;

 private:
  bool to_left(std::size_t column) const;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_ = {0};
};

}  // namespace pollen::sink
