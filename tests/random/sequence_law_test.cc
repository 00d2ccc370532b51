// Tests the laws of Sequence's draws from fixed seeds.
#include <gtest/gtest.h>

#include <cmath>

#include "pollen/random.h"
#include "random/law.h"

namespace pollen {
namespace {

constexpr double kLimit = 4.5;

TEST(SequenceLaw, BelowIsUniform) {
  for (const std::uint64_t bound : {3u, 10u, 1000u}) {
    Sequence sequence(make_stream(1, 0, Purpose::partition));
    std::vector<double> counts(bound, 0.0);
    for (int i = 0; i < 1'000'000; ++i) counts[sequence.below(bound)] += 1.0;
    EXPECT_LT(std::abs(test::chi_square_z(counts)), kLimit) << bound;
  }
}

// With a bound of 3·2^62, plain multiplication without rejection would give the thirds in the proportion 3:3:2 or
// 2:3:3.
TEST(SequenceLaw, BelowRejectsWhereItMust) {
  Sequence sequence(make_stream(2, 0, Purpose::partition));
  const std::uint64_t bound = std::uint64_t{3} << 62;
  std::vector<double> residues(3, 0.0);
  for (int i = 0; i < 300'000; ++i) residues[sequence.below(bound) % 3] += 1.0;
  EXPECT_LT(std::abs(test::chi_square_z(residues)), kLimit);
}

TEST(SequenceLaw, GammaMeanAndVariance) {
  for (const double shape : {0.05, 0.5, 1.0, 2.5, 40.0}) {
    Sequence sequence(make_stream(3, 0, Purpose::partition));
    constexpr int kCount = 1'000'000;
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < kCount; ++i) {
      const double x = sequence.gamma(shape) - shape;
      mean += x;
      square += x * x;
    }
    const double fourth = 3.0 * shape * shape + 6.0 * shape;  // the fourth central moment
    EXPECT_LT(std::abs(mean) / std::sqrt(shape * kCount), kLimit) << shape;
    EXPECT_LT(std::abs(square - shape * kCount) / std::sqrt((fourth - shape * shape) * kCount), kLimit) << shape;
  }
}

// Gamma(1) is exponential, so its distribution function is known.
TEST(SequenceLaw, GammaOfShapeOneIsExponential) {
  Sequence sequence(make_stream(4, 0, Purpose::partition));
  std::vector<double> counts(50, 0.0);
  for (int i = 0; i < 500'000; ++i) {
    counts[static_cast<std::size_t>(50.0 * (1.0 - std::exp(-sequence.gamma(1.0))))] += 1.0;
  }
  EXPECT_LT(std::abs(test::chi_square_z(counts)), kLimit);
}

}  // namespace
}  // namespace pollen
