// Tests the Rényi divergence of one step: formulas, limits and directions.
#include <gtest/gtest.h>

#include <cmath>

#include "inputs.h"
#include "quadrature.h"

namespace pollen {
namespace {

// Derives the ratio from the algorithm itself: N_c = 50 rows, n = 5 of them, N = 200, η = 1e-3, T = 2, ρ = 0.6, clip 3
// in one dimension. One row of the batch changes from +3 to -3; the common noise is the same on both sides.
TEST(UpdateRatio, FromTheUpdate) {
  const Index rows[] = {50, 150}, batches[] = {5, 15};
  PrivacyInputs in{.step = 1e-3, .temperature = 2, .correlation = 0.6, .sensitivity = 2 * 3.0};
  in.clients = privacy_clients(rows, batches);
  const double share = 50.0 / 200;
  const auto update = [&](double row) { return 0.7 - 1e-3 / share * (50.0 / 5) * (0.1 + 0.2 - 0.3 + 0.4 + row); };
  const double deviation = std::sqrt(2 * 1e-3 * 2 * (1 - 0.36) / share);
  const double expected = std::abs(update(3) - update(-3)) / deviation;
  EXPECT_NEAR(update_ratio(in, in.clients.distinct[0]), expected, 1e-12 * expected);
}

// Without subsampling, D_α of two unit Gaussians `ratio` apart is α ratio²/2; quadrature confirms it.
TEST(GaussianRenyi, IsTheDivergence) {
  for (const double ratio : {0.1, 0.7, 1.5})
    for (const int order : {2, 3, 6}) {
      const double exact = mixture_renyi(order, {ratio}, {0});
      EXPECT_NEAR(gaussian_renyi(order, ratio), exact, 1e-10);
      EXPECT_EQ(subsampled_renyi(order, ratio, 1), gaussian_renyi(order, ratio));
    }
}

// By hand, order 2 is ln(1 + γ² min{4(e^{r²} - 1), 2e^{r²}}); order 3 adds 3γ² and γ³·2e^{2·3r²/2}.
TEST(SubsampledRenyi, ByHand) {
  for (const double r : {0.5, 1.5}) {
    const double g = 0.01, e2 = std::exp(r * r);
    const double second = std::min(4 * (e2 - 1), 2 * e2);
    EXPECT_NEAR(subsampled_renyi(2, r, g), std::log(1 + g * g * second), 1e-15);
    const double third = 3 * g * g * second + g * g * g * 2 * std::exp(3 * r * r);
    EXPECT_NEAR(subsampled_renyi(3, r, g), std::log(1 + third) / 2, 1e-15);
    // Between the two orders the bound is on the chord of (α-1) ε(α), below order 2 on the chord to 0.
    EXPECT_NEAR(1.5 * subsampled_renyi(2.5, r, g), (std::log(1 + g * g * second) + std::log(1 + third)) / 2, 1e-15);
    EXPECT_NEAR(subsampled_renyi(1.5, r, g), subsampled_renyi(2, r, g), 1e-15);
  }
}

TEST(SubsampledRenyi, RisesInOrderRatioAndRate) {
  const std::vector<double> orders{1.1, 1.5, 2, 2.5, 3, 4, 7, 12, 40, 200}, ratios{0.05, 0.2, 1, 3},
      rates{1e-3, 0.02, 0.3, 1};
  for (const double ratio : ratios)
    for (const double rate : rates) {
      double last = 0;
      for (const double order : orders) {
        const double value = subsampled_renyi(order, ratio, rate);
        EXPECT_GE(value, last * (1 - 1e-12)) << order << " " << ratio << " " << rate;
        EXPECT_GE(subsampled_renyi(order, 1.2 * ratio, rate), value);
        EXPECT_GE(subsampled_renyi(order, ratio, std::min(1.0, 1.2 * rate)), value);
        EXPECT_LE(value, gaussian_renyi(order, ratio));
        last = value;
      }
    }
  EXPECT_GT(subsampled_renyi(4, 1, 0.02), 1.3 * subsampled_renyi(4, 1, 0.015));
}

// For small rates γ² remains. For large orders and ratios the bound is finite if it can be, otherwise infinite, and
// never NaN.
TEST(SubsampledRenyi, Extremes) {
  EXPECT_NEAR(subsampled_renyi(5, 0.3, 1e-9) / (1e-18 * 10 * 4 * std::expm1(0.09) / 4), 1, 1e-6);
  EXPECT_TRUE(std::isfinite(subsampled_renyi(2048, 100, 0.1)));
  EXPECT_TRUE(std::isinf(subsampled_renyi(2048, 1e200, 0.1)));
  EXPECT_EQ(subsampled_renyi(8, 0, 0.1), 0);
}

}  // namespace
}  // namespace pollen
