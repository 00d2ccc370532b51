// Tests moments and Wasserstein distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "pollen/scores.h"
#include "series.h"
#include "stats/ranks.h"

namespace pollen::stats {
namespace {

// Returns Gaussian points (shift + spread z), coordinate after coordinate.
Panel cloud(Index d, Index points, double shift, double spread, std::uint64_t seed) {
  Lehmer generator(seed);
  for (int i = 0; i < 50; ++i) generator.uniform();
  Panel result(d, points);
  for (Index c = 0; c < points; ++c)
    for (double& x : result.column(c)) x = shift + spread * normal_quantile(generator.uniform());
  return result;
}

TEST(Moments, ByHand) {
  Panel x(2, 3);
  const double values[] = {1, 2, 3, 6, 5, 1};
  for (Index c = 0; c < 3; ++c) std::copy_n(values + 2 * c, 2, x.column(c).begin());
  const Moments m = moments(x);
  EXPECT_EQ(m.mean, (std::vector<double>{3, 3}));
  EXPECT_EQ(m.covariance, (std::vector<double>{4, -1, -1, 7}));
  EXPECT_TRUE(std::isnan(moments(Panel(2, 1)).covariance[0]));
}

TEST(GaussianW2, ClosedForms) {
  const Moments standard{{0, 0}, {1, 0, 0, 1}}, moved{{3, 4}, {1, 0, 0, 1}}, stretched{{0, 0}, {9, 0, 0, 4}};
  EXPECT_NEAR(gaussian_w2(standard, moved), 5, 1e-14);
  EXPECT_NEAR(gaussian_w2(standard, stretched), std::sqrt(4.0 + 1.0), 1e-14);
  const Moments line{{0, 0}, {1, 1, 1, 1}}, point{{0, 0}, {0, 0, 0, 0}}, across{{0, 0}, {1, -1, -1, 1}};
  EXPECT_NEAR(gaussian_w2(line, point), std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(gaussian_w2(line, across), 2, 1e-14);  // the supports are orthogonal, so the traces add
  EXPECT_NEAR(gaussian_w2(line, line), 0, 1e-14);
  // In two dimensions tr √M = √(tr M + 2 √det M), where M = A^½ B A^½ with A = diag(9, 4).
  const Moments tilted{{0, 0}, {2, 0.5, 0.5, 1}};
  const double cross = std::sqrt(9 * 2 + 4 * 1 + 2 * std::sqrt(36 * 1.75));
  EXPECT_NEAR(gaussian_w2(stretched, tilted), std::sqrt(13 + 3 - 2 * cross), 1e-13);
  EXPECT_NEAR(gaussian_w2(tilted, stretched), std::sqrt(13 + 3 - 2 * cross), 1e-13);
}

TEST(GaussianW2, KeepsTheDigitsOfNearEqualLaws) {
  const double h = 1e-9;
  const Moments a{{0}, {1}}, b{{0}, {(1 + h) * (1 + h)}};
  EXPECT_NEAR(gaussian_w2(a, b) / h, 1, 1e-6);
}

TEST(EmpiricalW2, AssignmentIsTheBestPermutation) {
  const Panel a = cloud(2, 7, 0, 1, 3), b = cloud(2, 7, 0.3, 2, 4);
  std::vector<Index> order(7);
  std::iota(order.begin(), order.end(), Index{0});
  double best = 1e300;
  do {
    double cost = 0;
    for (Index i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        cost += std::pow(a.column(i)[j] - b.column(order[static_cast<std::size_t>(i)])[j], 2);
    best = std::min(best, cost / 7);
  } while (std::next_permutation(order.begin(), order.end()));
  const EmpiricalW2 w2 = empirical_w2(a, b);
  EXPECT_STREQ(w2.method, "exact");
  EXPECT_NEAR(w2.value, std::sqrt(best), 1e-12);
}

TEST(EmpiricalW2, AgreesWithSortingOnALine) {
  const Panel a = cloud(1, 400, 0, 1, 5), b = cloud(1, 400, 1, 2, 6);
  Panel a2(2, 400), b2(2, 400);  // the same points in the plane
  for (Index c = 0; c < 400; ++c) {
    a2.column(c)[0] = a.column(c)[0];
    b2.column(c)[0] = b.column(c)[0];
  }
  EXPECT_NEAR(empirical_w2(a, b).value, empirical_w2(a2, b2).value, 1e-12);
}

TEST(EmpiricalW2, MethodsBySize) {
  const auto method = [](Index n, Index m) {
    return std::string(empirical_w2(cloud(2, n, 0, 1, 7), cloud(2, m, 0, 1, 8)).method);
  };
  EXPECT_EQ(method(512, 512), "exact");
  EXPECT_EQ(method(100, 90), "sinkhorn");
  EXPECT_EQ(method(2001, 50), "sliced");
}

TEST(EmpiricalW2, SinkhornIsNearTheExactValue) {
  const Panel a = cloud(3, 300, 0, 1, 9), b = cloud(3, 300, 1, 1.5, 10);
  Panel more(3, 600);  // every point of b appears twice, which is the same law and the same distance
  for (Index c = 0; c < 600; ++c) std::copy_n(b.column(c / 2).begin(), 3, more.column(c).begin());
  const EmpiricalW2 exact = empirical_w2(a, b), entropic = empirical_w2(a, more);
  EXPECT_STREQ(entropic.method, "sinkhorn");
  EXPECT_NEAR(entropic.value / exact.value, 1, 0.01);
}

TEST(EmpiricalW2, SlicedKnowsShiftsAndUnevenSamples) {
  const Panel a = cloud(3, 2500, 0, 1, 11);
  Panel moved(3, 5000);
  for (Index c = 0; c < 5000; ++c)
    for (std::size_t j = 0; j < 3; ++j) moved.column(c)[j] = a.column(c / 2)[j] + 2;
  const EmpiricalW2 w2 = empirical_w2(a, moved);
  EXPECT_STREQ(w2.method, "sliced");
  EXPECT_NEAR(w2.value, 2 * std::sqrt(3.0), 1e-10);
  EXPECT_NEAR(empirical_w2(a, a).value, 0, 1e-12);
  const EmpiricalW2 scaled = empirical_w2(cloud(3, 20000, 0, 1, 12), cloud(3, 20000, 0, 3, 12));
  EXPECT_NEAR(scaled.value, 2 * std::sqrt(3.0), 0.05);  // every direction sees a scaling in full
}

TEST(EmpiricalW2, Edges) {
  EXPECT_THROW(empirical_w2(Panel(2, 3), Panel(3, 3)), std::invalid_argument);
  EXPECT_THROW(empirical_w2(Panel(2, 0), Panel(2, 3)), std::invalid_argument);
  EXPECT_EQ(empirical_w2(Panel(2, 4), Panel(2, 5)).value, 0);  // both samples consist of one repeated point
  Panel bad(2, 3);
  bad.column(1)[0] = std::nan("");
  EXPECT_TRUE(std::isnan(empirical_w2(bad, Panel(2, 3)).value));
}

}  // namespace
}  // namespace pollen::stats
