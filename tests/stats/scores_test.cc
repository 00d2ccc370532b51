// Scores on examples small enough to work out by hand.
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
  // Confidences 0.6 right, 0.8 right, 0.5 wrong, 0.9 wrong; ten bins, upper edges closed: one each.
  EXPECT_NEAR(ece(kPredictions, kTruth, 10), (0.4 + 0.2 + 0.5 + 0.9) / 4, 1e-15);
  // Two bins: (0, 0.5] has one row, (0.5, 1] three with confidence 2.3/3 and accuracy 2/3.
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
