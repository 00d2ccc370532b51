#include "sink/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace pollen::sink {
namespace {

std::string numeral(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

TEST(Text, NumbersAreTheShortestThatReadBack) {
  EXPECT_EQ(numeral(0.1), "0.1");
  EXPECT_EQ(numeral(-1), "-1");
  EXPECT_EQ(numeral(std::nan("")), "nan");
  EXPECT_EQ(numeral(-std::nan("")), "nan");
  EXPECT_EQ(numeral(-std::numeric_limits<double>::infinity()), "-inf");
  for (const double x : {1.0 / 3, 5e-324, 1.7976931348623157e308, -2.2250738585072014e-308})
    EXPECT_EQ(std::strtod(numeral(x).c_str(), nullptr), x);
}

TEST(Text, ForPeople) {
  EXPECT_EQ(human_bits(12'300'000), "12.3 Mbit");
  EXPECT_EQ(human_bits(12), "12 bit");
  EXPECT_EQ(human_bytes(1500), "1.5 kB");
  EXPECT_EQ(human_seconds(0.5), "0.50 s");
  EXPECT_EQ(human_seconds(75), "1:15");
  EXPECT_EQ(human_seconds(3723), "1:02:03");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(grouped(123), "123");
}

TEST(Text, WidthsCountCharactersNotBytes) {
  EXPECT_EQ(display_width("γ×█"), 3u);
  EXPECT_EQ(pad_right("γ", 3), "γ  ");
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("abcd", 4), "abcd");
}

TEST(Text, TablesLineUp) {
  TextTable table({"name", "x"});
  table.row({"α", "10"});
  EXPECT_EQ(table.text(""), "name   x\nα     10\n");
}

}  // namespace
}  // namespace pollen::sink
