#include "stats/plot_stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace pollen::stats {
namespace {

std::vector<double> waves(std::size_t count) {
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i)
    x.push_back(std::sin(0.7 * static_cast<double>(i)) + 0.01 * static_cast<double>(i % 7));
  return x;
}

TEST(PlotStats, AutocorrelationsAreThoseOfTheDefinition) {
  const auto all = waves(303);  // three chains: a pair, and one by itself
  const auto found = autocorrelations({all, 3}, 40);
  for (std::size_t c = 0; c < 3; ++c) {
    const auto x = std::span(all).subspan(c * 101, 101);
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 101;
    const auto covariance = [&](std::size_t lag) {
      double sum = 0;
      for (std::size_t t = 0; t + lag < x.size(); ++t) sum += (x[t] - mean) * (x[t + lag] - mean);
      return sum;
    };
    for (std::size_t lag = 0; lag < 40; ++lag)
      EXPECT_NEAR(found[c * 40 + lag], covariance(lag) / covariance(0), 1e-12) << c << " " << lag;
  }
}

TEST(PlotStats, AutocorrelationsThatCannotBeAreNan) {
  std::vector<double> x(20, 3.0);  // a constant beside a chain that moves
  for (std::size_t i = 10; i < 20; ++i) x[i] = static_cast<double>(i % 3);
  const auto found = autocorrelations({x, 2}, 12);
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_DOUBLE_EQ(found[12], 1.0);
  EXPECT_TRUE(std::isnan(found[12 + 11]));  // the lag is longer than the chain
}

TEST(PlotStats, RankHistogramsCountEveryDraw) {
  std::vector<double> x(200);  // chain 0 holds the lower half, chain 1 the upper
  for (std::size_t i = 0; i < 200; ++i) x[i] = static_cast<double>(i);
  const auto counts = rank_histograms({x, 2}, 10);
  for (std::size_t b = 0; b < 10; ++b) {
    EXPECT_EQ(counts[b], b < 5 ? 20u : 0u);
    EXPECT_EQ(counts[10 + b], b < 5 ? 0u : 20u);
  }
  x[7] = std::numeric_limits<double>::infinity();
  const auto none = rank_histograms({x, 2}, 10);
  EXPECT_EQ(std::accumulate(none.begin(), none.end(), 0u), 0u);
}

TEST(PlotStats, DensitiesIntegrateToOneAndFollowTheDraws) {
  const auto x = waves(4000);
  const Densities found = densities({x, 4}, 128);
  ASSERT_EQ(found.values.size(), 5u * 128);
  const double width = (found.high - found.low) / 127;
  for (std::size_t c = 0; c < 5; ++c) {
    const double sum = std::accumulate(found.values.begin() + static_cast<std::ptrdiff_t>(128 * c),
                                       found.values.begin() + static_cast<std::ptrdiff_t>(128 * (c + 1)), 0.0);
    EXPECT_NEAR(sum * width, 1.0, 0.05) << c;  // the rest is beyond the grid, or is the kernel's error
  }
  // A sine spends most of its time at its extremes.
  EXPECT_GT(found.values[4 * 128 + 20], found.values[4 * 128 + 64]);
}

TEST(PlotStats, DensitiesOfConstantsAreNone) {
  const std::vector<double> constant(10, 3.0);
  const Densities found = densities({constant, 1}, 16);
  EXPECT_EQ(found.low, 3.0);
  EXPECT_EQ(std::accumulate(found.values.begin(), found.values.end(), 0.0), 0.0);
}

}  // namespace
}  // namespace pollen::stats
