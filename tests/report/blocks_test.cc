#include "report/blocks.h"

#include <gtest/gtest.h>

#include <limits>

namespace pollen::report {
namespace {

std::string of(const std::string& text) {
  return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// Uses the test vectors of RFC 4648.
TEST(Blocks, Base64) {
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foob"), "Zm9vYg==");
  EXPECT_EQ(of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Blocks, ScaledWordsSpanTheRangeOfTheirFirstIndex) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {1, 3, nan, 2, 5, 5, 5, std::numeric_limits<double>::infinity()};
  const Json block = scaled_block({2, 1, 4}, values);
  EXPECT_EQ(block["low"], Json({1.0, 5.0}));
  EXPECT_EQ(block["high"], Json({3.0, 5.0}));
  // The words are 0, 65534, missing, 32767; then a constant at its low end, and missing.
  const std::uint8_t words[] = {0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  EXPECT_EQ(block["data"], base64(words));
}

TEST(Blocks, NumbersNearTheLargestDoubleDoNotOverflow) {
  const double most = std::numeric_limits<double>::max();
  const std::vector<double> values = {-most, 0, most};
  const std::uint8_t words[] = {0, 0, 0xff, 0x7f, 0xfe, 0xff};
  EXPECT_EQ(scaled_block({1, 1, 3}, values)["data"], base64(words));
}

TEST(Blocks, NumbersThatJsonDoesNotHaveAreNull) {
  EXPECT_TRUE(number(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_TRUE(number(-std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(number(0.123456789012345).dump(), "0.123456789");
}

}  // namespace
}  // namespace pollen::report
