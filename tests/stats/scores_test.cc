// Tests scores on examples small enough to work out by hand.
#include "pollen/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pollen::stats {
namespace {

const std::vector<double> kProbabilities = {0.6, 0.4, 0.2, 0.8, 0.5, 0.5, 0.9, 0.1};  // predicts 0, 1, 0 (a tie), 0
const std::vector<double> kTruth = {0, 1, 1, 1};
const Predictions kPredictions{kProbabilities, 2};

TEST(Classification, ByHand) {
  EXPECT_DOUBLE_EQ(accuracy(kPredictions, kTruth), 0.5);
  EXPECT_DOUBLE_EQ(brier(kPredictions, kTruth), (2 * 0.16 + 2 * 0.04 + 2 * 0.25 + 2 * 0.81) / 4);
  EXPECT_DOUBLE_EQ(nnll(kPredictions, kTruth), -std::log(0.6 * 0.8 * 0.5 * 0.1) / 4);
  EXPECT_DOUBLE_EQ(accuracy_above(kPredictions, kTruth, 0.8), 0.5);
  EXPECT_TRUE(std::isnan(accuracy_above(kPredictions, kTruth, 0.95)));
  const std::vector<double> sure = {1, 0}, other = {1};
  EXPECT_EQ(nnll({sure, 2}, other), std::numeric_limits<double>::infinity());
}

// The confidences are 0.6 (right), 0.8 (right), 0.5 (wrong), 0.9 (wrong).
TEST(Classification, ConfidenceCurveByHand) {
  const std::vector<double> thresholds = {0, 0.55, 0.6, 0.85, 0.95};
  const std::vector<ConfidencePoint> curve = confidence_curve(kPredictions, kTruth, thresholds);
  ASSERT_EQ(curve.size(), 5U);
  const Index counts[] = {4, 3, 3, 1, 0};  // the threshold itself is included
  const double accuracies[] = {0.5, 2.0 / 3, 2.0 / 3, 0};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(curve[i].threshold, thresholds[i]);
    EXPECT_EQ(curve[i].count, counts[i]);
    if (i < 4) {
      EXPECT_DOUBLE_EQ(curve[i].accuracy, accuracies[i]);
    }
  }
  EXPECT_TRUE(std::isnan(curve[4].accuracy));
  EXPECT_EQ(count_above(kPredictions, thresholds), (std::vector<Index>{4, 3, 3, 1, 0}));
}

// Returns a density by its definition, with the scores themselves instead of bins; the score `left_out` does not count.
double density(const std::vector<double>& scores, double at, double most, std::ptrdiff_t left_out) {
  const auto n = static_cast<double>(scores.size());
  double mean = 0, squares = 0, sum = 0;
  for (const double x : scores) mean += x / n;
  for (const double x : scores) squares += (x - mean) * (x - mean);
  const double h = std::sqrt(squares / (n - 1)) * std::pow(n, -0.2);
  const auto bell = [&](double x) { return std::exp(-0.5 * x * x / (h * h)) / h; };
  for (std::ptrdiff_t i = 0; i < std::ssize(scores); ++i) {
    const double x = scores[static_cast<std::size_t>(i)];
    if (i != left_out) sum += bell(at - x) + bell(at + x) + bell(2 * most - at - x);
  }
  return sum / (left_out < 0 ? n : n - 1);
}

TEST(Classification, DensityRuleIsThatOfTheDensities) {
  const double most = std::log(10.0);
  std::vector<double> in, out;
  for (int i = 0; i < 400; ++i) in.push_back(most * std::pow(std::fmod(0.5 + i * 0.6180339887498949, 1.0), 3));
  for (int i = 0; i < 300; ++i) out.push_back(most * std::sqrt(std::fmod(0.2 + i * 0.4142135623730951, 1.0)));
  double right_in = 0, right_out = 0;
  for (std::ptrdiff_t i = 0; i < 400; ++i) {
    const double x = in[static_cast<std::size_t>(i)];
    right_in += density(in, x, most, i) > density(out, x, most, -1) ? 1.0 / 400 : 0;
  }
  for (std::ptrdiff_t i = 0; i < 300; ++i) {
    const double x = out[static_cast<std::size_t>(i)];
    right_out += density(in, x, most, -1) > density(out, x, most, i) ? 0 : 1.0 / 300;
  }
  const DensityRule rule = density_rule(in, out, most);
  EXPECT_NEAR(rule.in, right_in, 0.011);  // bins of a 512th may move a row or two where the densities cross
  EXPECT_NEAR(rule.out, right_out, 0.011);
  EXPECT_GT(rule.in + rule.out, 1.3);
}

TEST(Classification, DensityRuleByHand) {
  const std::vector<double> low = {0.1, 0.12, 0.15}, high = {0.9, 1.0}, one = {0.5}, none;
  const DensityRule apart = density_rule(low, high, std::log(3.0));
  EXPECT_EQ(apart.in, 1);
  EXPECT_EQ(apart.out, 1);
  const DensityRule alone = density_rule(one, one, std::log(3.0));  // without itself, the others are at 0.5
  EXPECT_EQ(alone.in, 0);
  EXPECT_EQ(alone.out, 0);
  EXPECT_TRUE(std::isnan(density_rule(none, high, 1).out));
  EXPECT_TRUE(std::isnan(density_rule({low.data(), 1}, std::vector<double>{std::nan("")}, 1).in));
}

TEST(Classification, BetweenPredictions) {
  const std::vector<double> other = {0.4, 0.6, 0.2, 0.8, 0.5, 0.5, 0.4, 0.6};
  EXPECT_DOUBLE_EQ(agreement(kPredictions, {other, 2}), 0.5);
  EXPECT_DOUBLE_EQ(total_variation(kPredictions, {other, 2}), (0.2 + 0 + 0 + 0.5) / 4);
  const std::vector<double> three = {1, 0, 0, 0.25, 0.25, 0.5};
  const std::vector<double> entropies = entropy({three, 3});
  EXPECT_EQ(entropies[0], 0);
  EXPECT_DOUBLE_EQ(entropies[1], 1.5 * std::log(2));
}

TEST(Classification, RefusesWrongShapes) {
  const std::vector<double> few = {0, 1}, odd = {0, 1, 2, 0};
  EXPECT_THROW(accuracy(kPredictions, few), std::invalid_argument);
  EXPECT_THROW(brier(kPredictions, odd), std::invalid_argument);
  EXPECT_THROW(agreement(kPredictions, {few, 2}), std::invalid_argument);
  EXPECT_TRUE(std::isnan(accuracy({{}, 2}, {})));
}

TEST(Calibration, ByHand) {
  // The confidences are 0.6 right, 0.8 right, 0.5 wrong, 0.9 wrong. Ten bins with closed upper edges hold one each.
  EXPECT_NEAR(ece(kPredictions, kTruth, 10), (0.4 + 0.2 + 0.5 + 0.9) / 4, 1e-15);
  // With two bins, (0, 0.5] has one row, and (0.5, 1] has three with confidence 2.3/3 and accuracy 2/3.
  EXPECT_NEAR(ece(kPredictions, kTruth, 2), (0.5 + 0.3) / 4, 1e-15);
  const auto bins = reliability(kPredictions, kTruth, 2);
  EXPECT_EQ(bins[0].count, 1);
  EXPECT_EQ(bins[1].count, 3);
  EXPECT_NEAR(bins[1].confidence, 2.3 / 3, 1e-15);
  EXPECT_NEAR(bins[1].accuracy, 2.0 / 3, 1e-15);
}

TEST(Calibration, EveryEdgeBelongsToTheBinBelow) {
  for (const int bins : {7, 10, 15, 49}) {
    for (int j = 1; j <= bins; ++j) {
      const double edge = static_cast<double>(j) / bins;
      const std::vector<double> row = {edge, 0}, above = {std::nextafter(edge, 2), 0}, truth = {0};
      EXPECT_EQ(reliability({row, 2}, truth, bins)[static_cast<std::size_t>(j - 1)].count, 1) << j << "/" << bins;
      if (j == bins) continue;
      EXPECT_EQ(reliability({above, 2}, truth, bins)[static_cast<std::size_t>(j)].count, 1) << j << "/" << bins;
    }
  }
}

TEST(Calibration, NonsenseStaysVisible) {
  const std::vector<double> row = {std::nan(""), std::nan("")}, truth = {0};
  EXPECT_TRUE(std::isnan(ece({row, 2}, truth)));
}

TEST(Auroc, TiesCountHalf) {
  const std::vector<double> in = {1, 2, 3}, out = {2, 4};
  EXPECT_DOUBLE_EQ(auroc(in, out), (1 + 0.5 + 0 + 3) / 6);
  EXPECT_DOUBLE_EQ(auroc(in, in), 0.5);
  EXPECT_TRUE(std::isnan(auroc({}, out)));
}

TEST(HpdError, IsTheRatioOfQuantiles) {
  const std::vector<double> reference = {1, 2, 3, 4, 5}, ours = {2, 4, 6, 8, 10};
  EXPECT_DOUBLE_EQ(hpd_error(ours, reference, 0.25), 1);
  EXPECT_DOUBLE_EQ(hpd_error(reference, ours, 0.25), 0.5);
  EXPECT_EQ(hpd_error(ours, ours, 0.1), 0);
}

}  // namespace
}  // namespace pollen::stats
