// Compares Lemma 33 of the FALD paper (τ = 1, two local steps, two clients), that is, its recursion (147) and what is
// printed about its law, with the exact law. docs/samplers.md lists the misprints.
#include <gtest/gtest.h>

#include <cmath>

#include "stats/exact_law.h"

namespace pollen::laws {
namespace {

constexpr double kStep = 0.07, kMean1 = 1.5, kMean2 = -2, kVar1 = 0.8, kVar2 = 2.5;

// Here U^i = (x - μ_i)²/(2σ_i²). With the printed σ_i^-2 (x - μ_i)² the target would not be (146).
stats::QuadraticProblem two_clients() {
  stats::QuadraticProblem problem;
  for (const auto& [mean, variance] : {std::pair{kMean1, kVar1}, std::pair{kMean2, kVar2}})
    problem.clients.push_back(
        {{{Eigen::MatrixXd::Constant(1, 1, 1 / variance), Eigen::VectorXd::Constant(1, mean / variance)}}});
  problem.prior_precision = Eigen::VectorXd::Zero(1);
  return problem;
}

stats::Law exact(double step) {
  stats::AveragingLawOptions options;
  options.step = step;
  options.steps = 2;
  return averaging_family_law(two_clients(), options).front();
}

const double kS2 = 1 / (1 / kVar1 + 1 / kVar2);                              // σ̄²
const double kBar = (kMean1 * kVar2 + kMean2 * kVar1) / (kVar1 + kVar2);     // m̄
const double kFourth = 1 / (kVar1 * kVar1) + 1 / (kVar2 * kVar2);            // 1/σ_1⁴ + 1/σ_2⁴
const double kPulled = kMean1 / (kVar1 * kVar1) + kMean2 / (kVar2 * kVar2);  // μ_1/σ_1⁴ + μ_2/σ_2⁴

TEST(Lemma33, TheTargetIs146) {
  EXPECT_NEAR(two_clients().target().mean(0), kBar, 1e-12);
  EXPECT_NEAR(two_clients().target().covariance(0, 0), kS2, 1e-12);
}

TEST(Lemma33, TheMeanIsRight) {
  const double mean = (kBar - kStep * kS2 / 2 * kPulled) / (1 - kStep * kS2 / 2 * kFourth);
  EXPECT_NEAR(exact(kStep).mean(0), mean, 1e-12);
  EXPECT_GT(std::abs(mean - kBar), 0.01) << "and it is not the target's";
}

// The last line of the proof is right. The statement is right, too, if its σ² is read as σ̄² and its last σ̄² in the
// square as σ̄.
TEST(Lemma33, TheVarianceOfTheProofIsRight) {
  const double g = kStep;
  const double proof = (1 - g / (2 * kS2) + g * g / (8 * kS2 * kS2)) /
                       (1 / kS2 - g / 2 * kFourth - g / 2 * std::pow(1 / kS2 - g / 2 * kFourth, 2));
  EXPECT_NEAR(exact(g).covariance(0, 0), proof, 1e-12);
  const double mended =
      (kS2 - g / 2 + g * g / (8 * kS2)) /
      (1 - g / 2 * kS2 * kFourth - g / 2 * std::pow(1 / std::sqrt(kS2) - g / 2 * std::sqrt(kS2) * kFourth, 2));
  EXPECT_NEAR(proof, mended, 1e-12);
}

TEST(Lemma33, TheVarianceAsPrintedIsWrong) {
  const double g = kStep, s = std::sqrt(kS2);
  const double printed =
      (kS2 - g / 2 + g * g / (8 * kS2)) /
      (1 - g / 2 * kS2 * kFourth - g / 2 * std::pow(1 / s - g / 2 * (s / (kVar1 * kVar1) + kS2 / (kVar2 * kVar2)), 2));
  EXPECT_GT(std::abs(exact(g).covariance(0, 0) / printed - 1), 1e-5);
}

// The condition γ < 2(σ_1σ_2)⁴/(σ̄²(σ_1⁴+σ_2⁴)) is α < 1; α ≥ 0 always holds.
TEST(Lemma33, TheConditionIsThatOfStability) {
  const double limit = 2 / (kS2 * kFourth);
  EXPECT_NO_THROW(exact(0.999 * limit));
  EXPECT_THROW(exact(1.001 * limit), std::domain_error);
}

// Theorem 34's W2 ≥ (γ/2) |μ_1-μ_2| |σ̄²/σ_1² - σ̄²/σ_2²| lost a factor 1/(σ_1²+σ_2²) in the last line of its proof.
TEST(Lemma33, TheLowerBoundOfTheorem34) {
  for (const double step : {0.01, 0.1, 0.5}) {
    const stats::Law law = exact(step);
    const double pull = std::abs(kFourth * kBar - kPulled);
    EXPECT_NEAR(std::abs(law.mean(0) - kBar), step * kS2 / 2 * pull / (1 - step * kS2 / 2 * kFourth), 1e-12);
    const double last_line = std::abs(kMean1 - kMean2) * std::abs(1 / kVar1 - 1 / kVar2);
    EXPECT_NEAR(pull, last_line / (kVar1 + kVar2), 1e-12);
    const double distance = std::hypot(law.mean(0) - kBar, std::sqrt(law.covariance(0, 0)) - std::sqrt(kS2));
    EXPECT_GT(distance, step / 2 * kS2 * last_line / (kVar1 + kVar2));
    EXPECT_LT(distance, step / 2 * kS2 * last_line) << "the bound as printed";
  }
}

}  // namespace
}  // namespace pollen::laws
