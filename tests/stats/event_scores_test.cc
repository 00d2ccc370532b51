// The area under the ROC curve and calibration by groups, against sums over pairs and the intervals' own equations.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pollen/scores.h"

namespace pollen::stats {
namespace {

struct Rows {
  std::vector<double> probability, truth;
};

Rows made_rows(int count) {
  Rows rows;
  for (int r = 0; r < count; ++r) {
    rows.probability.push_back(std::round(50 + 49 * std::sin(1.7 * r)) / 100);  // with ties
    rows.truth.push_back(std::fmod(0.5 + 0.618034 * r, 1.0) < rows.probability.back() ? 1 : 0);
  }
  return rows;
}

// The share of pairs in order, and DeLong's variance, by their definitions.
struct Pairs {
  double area = 0, variance = 0;
};

double kernel(double with, double without) { return with > without ? 1 : with == without ? 0.5 : 0; }

double sample_variance(const std::vector<double>& x, double mean) {
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return sum / static_cast<double>(x.size() - 1);
}

Pairs by_pairs(const Rows& rows) {
  std::vector<double> with, without, below, above;
  for (std::size_t r = 0; r < rows.truth.size(); ++r)
    (rows.truth[r] > 0 ? with : without).push_back(rows.probability[r]);
  Pairs pairs;
  const auto m = static_cast<double>(with.size()), n = static_cast<double>(without.size());
  for (const double x : with) {
    double sum = 0;
    for (const double y : without) sum += kernel(x, y);
    below.push_back(sum / n);
    pairs.area += sum / n / m;
  }
  for (const double y : without) {
    double sum = 0;
    for (const double x : with) sum += kernel(x, y);
    above.push_back(sum / m);
  }
  pairs.variance = sample_variance(below, pairs.area) / m + sample_variance(above, pairs.area) / n;
  return pairs;
}

double logit(double p) { return std::log(p / (1 - p)); }

TEST(Auc, IsThatOfAllPairsWithDeLongsInterval) {
  const Rows rows = made_rows(200);
  const Pairs pairs = by_pairs(rows);
  const AucEstimate found = auc(rows.probability, rows.truth);
  EXPECT_NEAR(found.value, pairs.area, 1e-12);
  EXPECT_EQ(found.rows, 200);
  const double reach = 1.6448536269514722 * std::sqrt(pairs.variance) / (pairs.area * (1 - pairs.area));
  EXPECT_NEAR(logit(found.lower), logit(pairs.area) - reach, 1e-9);
  EXPECT_NEAR(logit(found.upper), logit(pairs.area) + reach, 1e-9);
}

TEST(Auc, HasNoIntervalWhereNothingCanBeSaid) {
  const std::vector<double> rising = {0.1, 0.2, 0.8, 0.9};
  const AucEstimate perfect = auc(rising, std::vector<double>{0, 0, 1, 1});
  EXPECT_EQ(perfect.value, 1);
  EXPECT_TRUE(std::isnan(perfect.lower));
  const AucEstimate never = auc(rising, std::vector<double>{0, 0, 0, 0});
  EXPECT_TRUE(std::isnan(never.value));
  EXPECT_EQ(never.events, 0);
  EXPECT_TRUE(std::isnan(auc(std::vector<double>{0.1, std::nan("")}, std::vector<double>{0, 1}).value));
}

TEST(Calibration, GroupsHaveWilsonsInterval) {
  const Rows rows = made_rows(200);
  Index all = 0;
  double before = -1;
  const auto groups = calibration(rows.probability, rows.truth, 8);
  EXPECT_GE(groups.size(), 6u);
  for (const CalibrationGroup& g : groups) {
    EXPECT_GT(g.predicted, before);
    before = g.predicted;
    all += g.rows;
    // Both ends solve (observed - p)² = z² p (1 - p)/n.
    const double z2 = 1.6448536269514722 * 1.6448536269514722 / static_cast<double>(g.rows);
    for (const double p : {g.lower, g.upper}) EXPECT_NEAR((g.observed - p) * (g.observed - p), z2 * p * (1 - p), 1e-12);
    EXPECT_LE(g.lower, g.observed);
    EXPECT_GE(g.upper, g.observed);
  }
  EXPECT_EQ(all, 200);
}

TEST(Calibration, EqualProbabilitiesShareAGroup) {
  const std::vector<double> same(30, 0.25), truth(30, 0.0);
  const auto groups = calibration(same, truth, 10);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].rows, 30);
  EXPECT_NEAR(groups[0].lower, 0, 1e-15);
  EXPECT_TRUE(calibration(std::vector<double>(), std::vector<double>()).empty());
}

}  // namespace
}  // namespace pollen::stats
