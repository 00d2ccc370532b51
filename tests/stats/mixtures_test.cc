// Compares quantiles of mixtures with tables and with the distribution functions themselves.
#include "stats/mixtures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pollen::stats {
namespace {

double standard_normal(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

TEST(NormalMixture, OfOneComponentIsNormal) {
  const std::vector<double> mean = {3.0}, sd = {2.0};
  EXPECT_NEAR(normal_mixture_quantile(mean, sd, 0.95), 3 + 2 * 1.6448536269514722, 1e-9);
  EXPECT_NEAR(normal_mixture_quantile(mean, sd, 0.5), 3, 1e-12);
}

TEST(NormalMixture, IsWhereTheDistributionFunctionSays) {
  const std::vector<double> mean = {-3, 0.1, 4, 4.5, 100}, sd = {0.5, 2, 0.01, 1, 3};
  for (const double p : {0.001, 0.05, 0.2, 0.5, 0.7, 0.81, 0.95, 0.999}) {
    const double x = normal_mixture_quantile(mean, sd, p);
    double cdf = 0;
    for (std::size_t s = 0; s < mean.size(); ++s) cdf += standard_normal((x - mean[s]) / sd[s]) / 5;
    EXPECT_NEAR(cdf, p, 1e-6) << p;
  }
}

TEST(NormalMixture, PointsAndTrouble) {
  const std::vector<double> mean = {1, 2, 3, 4}, none = {0, 0, 0, 0};
  EXPECT_NEAR(normal_mixture_quantile(mean, none, 0.6), 3, 1e-6);
  const std::vector<double> broken = {1, std::nan("")}, sd = {1, 1};
  EXPECT_TRUE(std::isnan(normal_mixture_quantile(broken, sd, 0.5)));
}

// The numbers are qpois(c(0.05, 0.5, 0.95), rate) of R.
TEST(PoissonMixture, OfOneComponentIsPoisson) {
  const auto at = [](double rate, double p) { return poisson_mixture_quantile(std::vector<double>{rate}, p); };
  EXPECT_EQ(at(4, 0.05), 1);
  EXPECT_EQ(at(4, 0.5), 4);
  EXPECT_EQ(at(4, 0.95), 8);
  EXPECT_EQ(at(0.01, 0.95), 0);
  EXPECT_EQ(at(100, 0.05), 84);
  EXPECT_EQ(at(100, 0.95), 117);
  EXPECT_EQ(at(0, 0.95), 0);
  EXPECT_NEAR(at(1e6, 0.95), 1e6 + 1.6449 * 1e3, 2);
  EXPECT_TRUE(std::isnan(at(INFINITY, 0.5)));
}

TEST(PoissonMixture, IsTheFirstCountWithEnoughBelow) {
  const std::vector<double> rate = {0.3, 2.5, 9, 30};
  std::vector<double> term;
  for (const double r : rate) term.push_back(std::exp(-r));
  double cdf = 0;
  std::vector<double> below;
  for (int k = 0; k < 80; ++k) {
    for (std::size_t s = 0; s < rate.size(); ++s) {
      cdf += term[s] / 4;
      term[s] *= rate[s] / (k + 1);
    }
    below.push_back(cdf);
  }
  for (const double p : {0.01, 0.1, 0.4, 0.6, 0.9, 0.99}) {
    const auto k = static_cast<std::size_t>(poisson_mixture_quantile(rate, p));
    EXPECT_GE(below[k], p - 1e-12);
    EXPECT_LT(k > 0 ? below[k - 1] : 0, p + 1e-12);
  }
}

TEST(Distribution, OfPoissonCountsIsTheSumOfItsTerms) {
  for (const double rate : {0.0, 0.3, 4.0, 80.0, 499.0, 600.0}) {
    const std::vector<double> at = {-1, 0, 1, 1.5, 7, 90, 500, 700};
    std::vector<double> all(at.size()), few(at.size() - 2);
    poisson_cdfs(rate, at, all);
    poisson_cdfs(rate, std::span(at).first(few.size()), few);
    double sum = 0, k = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (; k <= at[i]; ++k)
        sum += rate > 0 ? std::exp(k * std::log(rate) - rate - std::lgamma(k + 1)) : k == 0 ? 1 : 0;
      EXPECT_NEAR(all[i], sum, 1e-10) << rate << " at " << at[i];
      if (i >= few.size()) continue;
      EXPECT_NEAR(few[i], sum, 1e-10) << rate << " at " << at[i];
    }
  }
}

TEST(Distribution, OfANormalLaw) {
  EXPECT_NEAR(normal_cdf(3 + 2 * 1.6448536269514722, 3, 2), 0.95, 1e-12);
  EXPECT_EQ(normal_cdf(2.9, 3, 0), 0);
  EXPECT_EQ(normal_cdf(3, 3, 0), 1);
}

}  // namespace
}  // namespace pollen::stats
