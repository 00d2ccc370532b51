// Tests the constants of docs/algorithms.md section 2, and specs that make no sense.
#include "cases.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

using enum CompressorKind;

TEST(Constants, Omega) {
  EXPECT_EQ(make_compressor({.kind = identity}, 50)->omega(50), 0);
  EXPECT_EQ(make_compressor({.kind = identity, .bits = 32}, 50)->omega(50), 0);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = qsgd, .levels = 16}, 50)->omega(50), 50.0 / 256);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = qsgd, .levels = 2}, 100)->omega(100), 5);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = rand_k, .k = 10}, 50)->omega(50), 4);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = natural}, 50)->omega(50), 0.125);
}

TEST(Constants, Alpha) {
  EXPECT_EQ(make_compressor({.kind = identity}, 50)->alpha(50), 1);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = qsgd, .levels = 16}, 50)->alpha(50), 1 - 50.0 / 256);
  EXPECT_EQ(make_compressor({.kind = qsgd, .levels = 2}, 100)->alpha(100), 0);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = top_k, .k = 10}, 50)->alpha(50), 0.2);
  EXPECT_EQ(make_compressor({.kind = rand_k, .k = 10}, 50)->alpha(50), 0);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = rand_k, .k = 10, .scaled = true}, 50)->alpha(50), 0.2);
  EXPECT_DOUBLE_EQ(make_compressor({.kind = natural, .scaled = true}, 50)->alpha(50), 8.0 / 9);
}

TEST(Constants, Unbiased) {
  for (const CompressorKind kind : {identity, qsgd, rand_k, natural}) {
    EXPECT_TRUE(make_compressor({.kind = kind, .k = 2}, 5)->unbiased());
    EXPECT_FALSE(make_compressor({.kind = kind, .k = 2, .scaled = true}, 5)->unbiased());
  }
  EXPECT_FALSE(make_compressor({.kind = top_k, .k = 2}, 5)->unbiased());
  EXPECT_TRUE(make_compressor({.kind = top_k, .k = 5}, 5)->unbiased());
}

TEST(Constants, BitsBound) {
  const auto qsgd256 = make_compressor({.kind = qsgd, .levels = 256}, 50);
  EXPECT_NEAR((*qsgd256->bits_bound(50) - 32) / 50, 7.67, 0.01);  // (½(log2(1 + (65536 + 50)/50) + 1) + 2)
  const auto qsgd1 = make_compressor({.kind = qsgd, .levels = 1}, 10'000);
  EXPECT_NEAR(*qsgd1->bits_bound(10'000), (3 + 1.5 * std::log2(2 * 10'001.0 / 101)) * 101 + 32, 1e-9);
  EXPECT_EQ(qsgd256->bits_bound(50),
            make_compressor({.kind = qsgd, .levels = 256, .scaled = true}, 50)->bits_bound(50));
  EXPECT_FALSE(make_compressor({.kind = natural}, 50)->bits_bound(50).has_value());
}

TEST(Spec, Refused) {
  EXPECT_THROW(make_compressor({.kind = top_k, .k = 6}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = rand_k, .k = 6}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = rand_k, .k = 0}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = top_k, .k = -1}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = qsgd, .levels = 0}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = qsgd, .levels = (1U << 24) + 1}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = identity, .bits = 16}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = top_k, .scaled = true}, 5), ConfigError);
  EXPECT_THROW(make_compressor({.kind = identity}, 0), ConfigError);
}

TEST(Spec, AllProblemsAtOnce) {
  try {
    make_compressor({.kind = top_k, .bits = 8, .k = 9, .scaled = true}, 5);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.problems().size(), 3U);
  }
}

TEST(Spec, WhatAKindDoesNotUseIsNotChecked) {
  EXPECT_NO_THROW(make_compressor({.kind = natural, .bits = 1, .levels = 0, .k = 99}, 5));
  EXPECT_NO_THROW(make_compressor({.kind = qsgd, .bits = 1, .k = 99}, 5));
}

TEST(Spec, Names) {
  EXPECT_EQ(name_of(identity), "identity");
  EXPECT_EQ(name_of(qsgd), "qsgd");
  EXPECT_EQ(name_of(top_k), "top-k");
  EXPECT_EQ(name_of(rand_k), "rand-k");
  EXPECT_EQ(name_of(natural), "natural");
}

}  // namespace
}  // namespace pollen::compress_tests
