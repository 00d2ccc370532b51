// Input that is not a number or is too large for the wire is refused at any position; input that is too small becomes
// zero.
#include "pollen/errors.h"

#include <limits>

#include "cases.h"
#include "support/norm.h"

namespace pollen::compress_tests {
namespace {

class NotFinite : public testing::TestWithParam<Case> {};

TEST_P(NotFinite, IsANumericErrorAnywhere) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {inf, -inf, std::nan(""), -std::nan("")}) {
    for (const Index d : {1, 7, 50}) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(d); j += 6) {
        std::vector<double> v = gaussian(d);
        v[j] = bad;
        EXPECT_THROW(encode(*GetParam().make(d), v), NumericError);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, NotFinite, testing::ValuesIn(cases()), case_name);

TEST(Range, QsgdNorm) {
  const auto compressor = make_compressor({.kind = "qsgd", .levels = 4}, 2);
  EXPECT_THROW(encode(*compressor, {3e38, 3e38}), NumericError);
  EXPECT_THROW(encode(*compressor, {1e200, 0}), NumericError);
  EXPECT_THROW(encode(*compressor, {0x1.ff001p127, 0}), NumericError);
  EXPECT_EQ(encode(*compressor, {0x1.ffp127, 0}).decoded[0], 0x1.ffp127);
  EXPECT_EQ(encode(*compressor, {0x1p-126, 0}).decoded[0], 0x1p-126);
  for (const double tiny : {0x1.fffffp-127, 1e-200, 5e-324}) {
    const Encoded made = encode(*compressor, {tiny, -tiny * 1e-4});
    EXPECT_TRUE(same_bits(made.decoded, {0.0, 0.0}));
    EXPECT_TRUE(made.payload.empty());
  }
}

// If the norm were rounded to nearest, it could be below the value, and the level above s.
TEST(Range, QsgdNormIsRoundedUp) {
  const auto compressor = make_compressor({.kind = "qsgd", .levels = 1u << 20}, 1);
  for (std::uint64_t round = 0; round < 2000; ++round) {
    const double v = 1 + static_cast<double>(round) * 0x1p-19;
    const Encoded made = encode(*compressor, {v}, round);
    EXPECT_LE(made.decoded[0], told_norm(v));
    EXPECT_TRUE(same_bits(made.decoded, decode(*compressor, made.payload, 1)));
  }
}

TEST(Range, Float32Words) {
  for (const std::string kind : {"identity", "top-k", "rand-k"}) {
    const auto compressor = make_compressor({.kind = kind, .bits = 32, .k = 2}, 2);
    EXPECT_THROW(encode(*compressor, {1.0, 1e39}), NumericError);
    EXPECT_EQ(encode(*compressor, {1.0, 0.1}).decoded[1], static_cast<double>(0.1F));
  }
  const auto rand_k = make_compressor({.kind = "rand-k", .k = 1}, 2);
  EXPECT_THROW(encode(*rand_k, {1e308, 1e308}), NumericError);
}

TEST(Range, Natural) {
  const auto compressor = make_compressor({.kind = "natural"}, 1);
  EXPECT_THROW(encode(*compressor, {0x1p128}), NumericError);
  EXPECT_THROW(encode(*compressor, {-0x1p128}), NumericError);
  int high = 0;
  int zero = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    const double top = encode(*compressor, {-0x1.8p127}, round).decoded[0];
    EXPECT_TRUE(top == -0x1p127 || top == -0x1p128);
    high += top == -0x1p128 ? 1 : 0;
    const double low = encode(*compressor, {0x1p-127}, round).decoded[0];
    EXPECT_TRUE(low == 0 || low == 0x1p-126);
    zero += low == 0 ? 1 : 0;
  }
  EXPECT_NEAR(high, 200, 50);
  EXPECT_NEAR(zero, 200, 50);
}

}  // namespace
}  // namespace pollen::compress_tests
