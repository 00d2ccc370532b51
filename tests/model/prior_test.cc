// Normal priors with means and with terms about sums of coefficients, as those about an intercept where all columns are
// 0: their values, derivatives, draws and changes of variables.
#include <gtest/gtest.h>

#include <cmath>

#include "math/eigenvalues.h"
#include "model/coordinates.h"
#include "model/units.h"
#include "pollen/random.h"
#include "problem.h"

namespace pollen::testing {
namespace {

const std::vector<double> kMean = {3, -2, 100}, kSd = {0.5, 4, 20}, kCentre = {3.5, -1, 90};
const std::vector<double> kPriorSd = {2, 0.3, 0.1, 0.01}, kPriorMean = {1, 0.5, -0.2, 0};

ModelSpec spec(Index features = 4) {
  ModelSpec made;
  made.family = &model_family("logistic");
  made.features = features;
  return made;
}
Units units() { return {spec(), true, {kMean, kSd}}; }

Prior of_data() {
  Prior prior = Prior::normal(kPriorSd);
  prior.mean = kPriorMean;
  return prior;
}
Prior internal() { return units().internal(of_data(), kCentre); }

// The prior in words: slopes are N(mean, sd²), and so is the intercept where the columns are at kCentre.
double in_words(std::vector<double> theta) {
  units().to_data({theta.data(), 4, 1, 4});
  for (std::size_t j = 0; j < 3; ++j) theta[0] += kCentre[j] * theta[j + 1];
  double sum = 0;
  for (std::size_t j = 0; j < 4; ++j) sum += 0.5 * std::pow((theta[j] - kPriorMean[j]) / kPriorSd[j], 2);
  return sum;
}

TEST(PriorOfUnits, IsTheSameLawOfInternalCoefficients) {
  Dice dice(3);
  for (int n = 0; n < 5; ++n) {
    const std::vector<double> theta = dice.normals(4);
    EXPECT_NEAR(internal().value(theta), in_words(theta), 1e-9 * in_words(theta));
  }
  EXPECT_NEAR(internal().value(internal().centre(4)), 0, 1e-18);
}

TEST(PriorOfUnits, HasTheDerivativesOfItsValue) {
  const auto diagonal = std::make_shared<const Coordinates>(
      kPriorMean,
      [] {
        Panel bend(4, 1);
        for (std::size_t j = 0; j < 4; ++j) bend.column(0)[j] = 0.1 + static_cast<double>(j);
        return bend;
      }(),
      false);
  for (const Prior& prior : {internal(), diagonal->pull_back(internal())}) {
    Dice dice(4);
    const std::vector<double> at = dice.normals(4);
    std::vector<double> gradient(4), along(4), unit(4), bend(4);
    prior.add_gradient(at, 1.0, gradient);
    prior.add_diagonal(along);
    for (std::size_t j = 0; j < 4; ++j) {
      std::vector<double> up = at, down = at, slope_up(4), slope_down(4);
      up[j] += 1e-3, down[j] -= 1e-3;
      const double size = 1 + std::abs(gradient[j]);
      EXPECT_NEAR((prior.value(up) - prior.value(down)) / 2e-3, gradient[j], 1e-7 * size);
      prior.add_gradient(up, 1.0, slope_up);
      prior.add_gradient(down, 1.0, slope_down);
      unit[j] = 1;
      std::ranges::fill(bend, 0.0);
      prior.add_curvature(unit, 1.0, bend);
      unit[j] = 0;
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR((slope_up[i] - slope_down[i]) / 2e-3, bend[i], 1e-7 * (1 + std::abs(bend[i])));
      EXPECT_DOUBLE_EQ(bend[j], along[j]);
    }
  }
}

TEST(PriorOfUnits, IsDrawnFrom) {
  constexpr int kDraws = 40000;
  const Prior prior = internal();
  double mean[4] = {}, square[4] = {};
  for (int n = 0; n < kDraws; ++n) {
    std::vector<double> theta(4);
    normals(make_stream(5, static_cast<std::uint32_t>(n), Purpose::init), theta);
    prior.draw(theta);
    units().to_data({theta.data(), 4, 1, 4});
    for (std::size_t j = 0; j < 3; ++j) theta[0] += kCentre[j] * theta[j + 1];
    for (std::size_t j = 0; j < 4; ++j) {
      const double z = (theta[j] - kPriorMean[j]) / kPriorSd[j];
      mean[j] += z / kDraws;
      square[j] += z * z / kDraws;
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(mean[j], 0, 5 / std::sqrt(kDraws));
    EXPECT_NEAR(square[j], 1, 5 * std::sqrt(2.0 / kDraws));
  }
}

TEST(PriorOfUnits, BendsAtLeastAsMuchAsItSays) {
  const Prior prior = internal();
  Panel matrix(4, 4);
  std::vector<double> unit(4);
  for (std::size_t j = 0; j < 4; ++j) {
    unit[j] = 1;
    prior.add_curvature(unit, 1.0, matrix.column(static_cast<Index>(j)));
    unit[j] = 0;
  }
  const double least = math::symmetric_eigenvalues(matrix).front();
  EXPECT_NEAR(prior.least_curvature(), least, 1e-9 * least);

  // The same holds for many columns.
  const Units many(spec(401), true, {std::vector<double>(400, 0.1), std::vector<double>(400, 2.0)});
  EXPECT_GT(many.internal(Prior::normal(std::vector<double>(401, 3.0)), {}).least_curvature(), 1e-3);
}

TEST(PriorOfUnits, WithoutScalingTheInterceptsLawIsAboutItsCentre) {
  const Prior prior = Units(spec(), true, {}).internal(of_data(), kCentre);
  std::vector<double> theta = kPriorMean;
  for (std::size_t j = 0; j < 3; ++j) theta[0] -= kCentre[j] * theta[j + 1];
  EXPECT_NEAR(prior.value(theta), 0, 1e-18);
  theta[0] += 2 * kPriorSd[0];
  EXPECT_NEAR(prior.value(theta), 2, 1e-12);
}

}  // namespace
}  // namespace pollen::testing
