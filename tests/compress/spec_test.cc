// Tests the constants of docs/algorithms.md section 2, and specs that make no sense.
#include <gmock/gmock.h>

#include "cases.h"
#include "compress/compressors.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

TEST(Constants, Omega) {
  EXPECT_EQ(make_compressor({.kind = "identity"}, 50)->omega(50), 0);
  EXPECT_EQ(make_compressor({.kind = "identity", .bits = 32}, 50)->omega(50), 0);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "qsgd", .levels = 16}, 50)->omega(50), 50.0 / 256);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "qsgd", .levels = 2}, 100)->omega(100), 5);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "rand-k", .k = 10}, 50)->omega(50), 4);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "natural"}, 50)->omega(50), 0.125);
}

TEST(Constants, Alpha) {
  EXPECT_EQ(make_compressor({.kind = "identity"}, 50)->alpha(50), 1);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "qsgd", .levels = 16}, 50)->alpha(50), 1 - 50.0 / 256);
  EXPECT_EQ(make_compressor({.kind = "qsgd", .levels = 2}, 100)->alpha(100), 0);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "top-k", .k = 10}, 50)->alpha(50), 0.2);
  EXPECT_EQ(make_compressor({.kind = "rand-k", .k = 10}, 50)->alpha(50), 0);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "rand-k", .k = 10, .scaled = true}, 50)->alpha(50), 0.2);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = "natural", .scaled = true}, 50)->alpha(50), 8.0 / 9);
}

TEST(Constants, Unbiased) {
  for (const std::string kind : {"identity", "qsgd", "rand-k", "natural"}) {
    EXPECT_TRUE(make_compressor({.kind = kind, .k = 2}, 5)->unbiased());
    EXPECT_FALSE(make_compressor({.kind = kind, .k = 2, .scaled = true}, 5)->unbiased());
  }
  EXPECT_FALSE(make_compressor({.kind = "top-k", .k = 2}, 5)->unbiased());
  EXPECT_TRUE(make_compressor({.kind = "top-k", .k = 5}, 5)->unbiased());
}

TEST(Constants, BitsBound) {
  const auto qsgd256 = make_compressor({.kind = "qsgd", .levels = 256}, 50);
  EXPECT_NEAR((*qsgd256->bits_bound(50) - 32) / 50, 7.67, 0.01);  // (½(log2(1 + (65536 + 50)/50) + 1) + 2)
  const auto qsgd1 = make_compressor({.kind = "qsgd", .levels = 1}, 10'000);
  EXPECT_NEAR(*qsgd1->bits_bound(10'000), (3 + 1.5 * std::log2(2 * 10'001.0 / 101)) * 101 + 32, 1e-9);
  EXPECT_EQ(qsgd256->bits_bound(50),
            make_compressor({.kind = "qsgd", .levels = 256, .scaled = true}, 50)->bits_bound(50));
  EXPECT_FALSE(make_compressor({.kind = "natural"}, 50)->bits_bound(50).has_value());
}

TEST(Spec, Refused) {
  EXPECT_THROW(make_compressor({.kind = "top-k", .k = 6}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "rand-k", .k = 6}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "rand-k", .k = 0}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "top-k", .k = -1}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "qsgd", .levels = 0}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "qsgd", .levels = (1U << 24) + 1}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "identity", .bits = 16}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "top-k", .scaled = true}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = "identity"}, 0), ConfigError);
}

TEST(Spec, AllProblemsAtOnce) {
  try {
    make_compressor({.kind = "top-k", .bits = 8, .k = 9, .scaled = true}, 5);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.problems().size(), 3U);
  }
}

TEST(Spec, WhatAKindDoesNotUseIsNotChecked) {
  EXPECT_NO_THROW(make_compressor({.kind = "natural", .bits = 1, .levels = 0, .k = 99}, 5));
  EXPECT_NO_THROW(make_compressor({.kind = "qsgd", .bits = 1, .k = 99}, 5));
}

TEST(Rows, EachMakesItsCompressor) {
  for (const CompressorRow& row : compressors()) {
    EXPECT_EQ(compressors().find(row.name), &row);
    EXPECT_FALSE(row.summary.empty());
    if (!row.keys.empty() && row.name != "coded") {  // whose key is no setting of the compressor
      EXPECT_THROW(make_compressor({.kind = row.name, .bits = 8, .levels = 0, .k = 6}, 5), ConfigError);
    }
    EXPECT_EQ(make_compressor({.kind = row.name, .k = 2}, 5)->unbiased(), row.unbiased) << row.name;
  }
  EXPECT_THAT(compressors().names(), testing::ElementsAre("identity", "qsgd", "top-k", "rand-k", "natural", "coded"));
}

TEST(Rows, AnUnknownNameIsToldTheAcceptedOnes) {
  try {
    make_compressor({.kind = "qsdg"}, 5);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "sampler.compressor: found \"qsdg\", accepted: identity, qsgd, top-k, rand-k, natural, coded; did you "
                 "mean qsgd?");
  }
}

// A compressor that sends nothing and decodes to zeros.
class Silent final : public Compressor {
 public:
  std::int64_t encode(std::span<const double>, const Stream&, std::span<double> decoded, Bytes*,
                      Scratch&) const override {
    std::ranges::fill(decoded, 0.0);
    return 0;
  }
  void decode(ByteView, std::span<double> out, Scratch&) const override { std::ranges::fill(out, 0.0); }
  bool unbiased() const override { return false; }
  double omega(Index) const override { return 1; }
  double alpha(Index) const override { return 0; }
};

TEST(Rows, ARowOfOnesOwn) {
  const auto make = [](const CompressorSpec&, Index) { return std::make_unique<Silent>(); };
  register_compressor({.name = "silent", .summary = "nothing", .keys = "", .unbiased = false, .make = make});
  EXPECT_EQ(encode(*make_compressor({.kind = "silent"}, 3), {1, 2, 3}).bits, 0);
  EXPECT_THROW(make_compressor({.kind = "silent", .scaled = true}, 3), ConfigError);
  EXPECT_THROW(register_compressor({.name = "qsgd", .summary = "", .keys = "", .unbiased = true, .make = make}),
               std::invalid_argument);
}

}  // namespace
}  // namespace pollen::compress_tests
