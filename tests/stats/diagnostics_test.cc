// Tests diagnostics against theory and at the edges.
#include <gtest/gtest.h>

#include <limits>

#include "pollen/stats.h"
#include "series.h"
#include "stats/ranks.h"

namespace pollen::stats {
namespace {

TEST(Ess, FollowsTheoryForAutoregressions) {
  constexpr std::size_t kChains = 4, kLength = 100000;
  for (const double phi : {-0.5, 0.0, 0.5, 0.9}) {
    const std::vector<double> values = autoregression(phi, kChains, kLength, 17);
    const double theory = static_cast<double>(kChains * kLength) * (1 - phi) / (1 + phi);
    EXPECT_NEAR(ess_mean({values, 4}) / theory, 1, 0.06) << phi;
    EXPECT_NEAR(ess_bulk({values, 4}) / theory, 1, 0.1) << phi;  // the theory holds for the values, not for their ranks
    EXPECT_NEAR(rhat({values, 4}), 1, 1e-3) << phi;
  }
}

TEST(Ess, TakesAMillionDraws) {
  const std::vector<double> values = autoregression(0.5, 1, 1000003, 3);
  EXPECT_NEAR(ess_mean({values, 1}), 1e6 / 3, 2e4);
}

TEST(Diagnostics, NothingIsEstimatedFromDrawsThatAreNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    std::vector<double> values = autoregression(0.2, 2, 100, 5);
    values[13] = bad;
    const Draws draws{values, 2};
    EXPECT_TRUE(std::isnan(rhat(draws)));
    EXPECT_TRUE(std::isnan(ess_bulk(draws)));
    EXPECT_TRUE(std::isnan(ess_tail(draws)));
    EXPECT_TRUE(std::isnan(ess_mean(draws)));
    EXPECT_TRUE(std::isnan(mcse_mean(draws)));
    EXPECT_TRUE(std::isnan(summarize(draws).rhat));
    EXPECT_TRUE(std::isnan(summarize(draws, true).mcse));
  }
  EXPECT_TRUE(std::isnan(rhat({{}, 1})));
  EXPECT_TRUE(std::isnan(summarize({{}, 1}).mean));
}

TEST(Diagnostics, ChainsHaveOneLength) {
  const std::vector<double> values(7, 0.0);
  EXPECT_THROW(rhat({values, 2}), std::invalid_argument);
  EXPECT_THROW(rhat({values, 0}), std::invalid_argument);
}

TEST(Summary, CoupledChainsCountOnce) {
  std::vector<double> values = autoregression(0.3, 3, 500, 8);
  for (std::size_t t = 500; t < 1000; ++t) values[t] *= 3;
  double worst = 0;
  for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, mcse_mean({std::span(values).subspan(c * 500, 500), 1}));
  EXPECT_EQ(summarize({values, 3}, true).mcse, worst);
  EXPECT_GT(worst, 1.5 * summarize({values, 3}).mcse);
}

TEST(Quantile, TypeSeven) {
  const std::vector<double> values = {3, 1, 4, 1.5, 9};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 9);
  EXPECT_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.3), 1.5 + 0.2 * 1.5);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(quantile(std::vector<double>{1, std::nan("")}, 0.5)));
}

TEST(NormalQuantile, FullDoubleAccuracy) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(normal_quantile(1), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(normal_quantile(1.1)));
  // Φ(z) by erfc. Above 8, 1 - Φ is below the spacing of doubles.
  for (double z = -37; z < 8; z += 0.0937) {
    const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
    const double slack = z > 0 ? 2.3e-16 / (0.3989 * std::exp(-z * z / 2)) : 0;  // p itself is rounded
    EXPECT_NEAR(normal_quantile(p), z, 4e-15 * std::max(1.0, std::abs(z)) + slack) << z;
  }
}

}  // namespace
}  // namespace pollen::stats
