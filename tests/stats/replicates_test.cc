#include "stats/replicates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pollen::stats {
namespace {

// The law of total variance: a mixture of normal sums has the mean of their variances and the variance of their means.
TEST(Replicates, AddTheSpreadOfDrawsToTheNoise) {
  Replicates sums(2);
  double mean = 0, noise = 0, squares = 0;
  constexpr int kDraws = 50;
  for (int s = 0; s < kDraws; ++s) {
    const double m = 1e6 + std::sin(s), v = 2 + std::cos(s);
    sums.add(std::vector{m, 5.0}, std::vector{v, 0.25});
    mean += m / kDraws;
    noise += v / kDraws;
  }
  for (int s = 0; s < kDraws; ++s) squares += std::pow(1e6 + std::sin(s) - mean, 2);
  EXPECT_NEAR(sums.mean(0), mean, 1e-6);
  EXPECT_NEAR(sums.variance(0), noise + squares / (kDraws - 1), 1e-8);
  EXPECT_EQ(sums.mean(1), 5);
  EXPECT_EQ(sums.variance(1), 0.25);
}

}  // namespace
}  // namespace pollen::stats
