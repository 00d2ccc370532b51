// Compares laws of the gradient family with formulas worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "problems.h"
#include "stats/exact_law.h"
#include "stats/outcomes.h"

namespace pollen::stats {
namespace {

using Oracle = GradientLawOptions::Oracle;
using Compressor = GradientLawOptions::Compressor;
using Participation = GradientLawOptions::Participation;

void expect_near(const Law& a, const Law& b, double tolerance = 1e-10) {
  EXPECT_LT((a.mean - b.mean).norm(), tolerance) << a.mean.transpose() << " and " << b.mean.transpose();
  EXPECT_LT((a.covariance - b.covariance).norm(), tolerance) << a.covariance << "\nand\n" << b.covariance;
}

Law law_of(const QuadraticProblem& problem, const GradientLawOptions& options) {
  return gradient_family_law(problem, options).at(0);
}

TEST(GradientLaw, Ula) {
  const QuadraticProblem problem = points_problem({{1, 2, 6}, {0, 4}});  // scalar, U = (N/2)(θ - ȳ)²
  GradientLawOptions options;
  options.step = 0.1;
  const Law law = law_of(problem, options);
  EXPECT_NEAR(law.mean(0), 13.0 / 5, 1e-13);
  EXPECT_NEAR(law.covariance(0, 0), 1 / (5 * (1 - 0.1 * 5 / 2)), 1e-13);
}

TEST(GradientLaw, UlaWithMatrixPrecisionAndTemperature) {
  const QuadraticProblem problem = regression_problem();
  GradientLawOptions options;
  options.step = 0.05;
  options.temperature = 2.5;
  const Law target = problem.target();
  const Eigen::MatrixXd precision = target.covariance.inverse();
  const Eigen::MatrixXd biased = 2.5 * (precision - 0.5 * options.step * precision * precision).inverse();
  expect_near(law_of(problem, options), {target.mean, biased});
  expect_near({problem.target(2.5).mean, problem.target(2.5).covariance}, {target.mean, 2.5 * target.covariance});
}

TEST(GradientLaw, MinibatchAddsSamplingVariance) {
  const QuadraticProblem problem = points_problem({{1, 2, 6, 3}});
  GradientLawOptions options;
  options.step = 0.15;
  options.oracle = Oracle::minibatch;
  options.batch = 2;
  // The variance of (N/n) Σ_S y_j without replacement is N (N-n)/n s², with s² of divisor N-1.
  const double s2 = (4 + 1 + 9 + 0) / 3.0, noise = 4 * 2 / 2.0 * s2, a = 1 - 0.15 * 4;
  EXPECT_NEAR(law_of(problem, options).covariance(0, 0), (0.3 + 0.15 * 0.15 * noise) / (1 - a * a), 1e-12);
  EXPECT_NEAR(law_of(problem, options).mean(0), 3, 1e-12);
}

TEST(GradientLaw, RandKKeepsOneOfTwoCoordinates) {
  QuadraticProblem problem;
  problem.prior_precision = Eigen::Vector2d::Zero();
  problem.clients.push_back({{{3 * Eigen::Matrix2d::Identity(), Eigen::Vector2d(3, 6)}}});
  GradientLawOptions options;
  options.step = 0.1;
  options.up = Compressor::rand_k;
  const double factor = 0.5 * (1 + 0.4 * 0.4);  // E[(1 - 2 B γ 3)²]
  const Law law = law_of(problem, options);
  expect_near(law, {Eigen::Vector2d(1, 2), 0.2 / (1 - factor) * Eigen::Matrix2d::Identity()});
}

TEST(GradientLaw, InverseProbability) {
  const QuadraticProblem problem = points_problem({{1, 2, 6}});
  GradientLawOptions options;
  options.step = 0.1;
  options.participation = Participation::bernoulli_inverse;
  options.probability = {0.4};
  EXPECT_NEAR(law_of(problem, options).covariance(0, 0), 0.2 / (0.6 - 0.09 / 0.4), 1e-12);
}

TEST(GradientLaw, FeedbackDropsOutWithIdentityAndEverybody) {
  const QuadraticProblem problem = regression_problem();
  GradientLawOptions plain;
  plain.step = 0.05;
  const Law lsd = law_of(problem, plain);
  GradientLawOptions elf = plain;
  elf.error_feedback = elf.down_feedback = true;
  expect_near(law_of(problem, elf), lsd);
  GradientLawOptions memory = plain;
  memory.memory = 0.3;
  expect_near(law_of(problem, memory), lsd);
}

TEST(GradientLaw, AnchorsSeeNoNoiseOnPoints) {
  const QuadraticProblem problem = points_problem({{1, 2, 6}, {0, 4}});
  GradientLawOptions options;
  options.step = 0.1;
  const Law lsd = law_of(problem, options);
  options.batch = 1;
  options.oracle = Oracle::fixed_point;
  options.anchor = Eigen::VectorXd::Constant(1, 7.0);  // far from the mode, but still unbiased
  expect_near(law_of(problem, options), lsd);
  options.oracle = Oracle::svrg;
  options.refresh = 3;
  const auto laws = gradient_family_law(problem, options);
  ASSERT_EQ(laws.size(), 3U);
  for (const Law& law : laws) expect_near(law, lsd);
}

TEST(GradientLaw, MeansAreRightWhereMessagesAreUnbiased) {
  const QuadraticProblem problem = regression_problem();
  GradientLawOptions options;
  options.step = 0.02;
  options.up = Compressor::rand_k;
  options.batch = 2;
  options.anchor = Eigen::Vector2d(0.5, -1);
  options.refresh = 2;
  options.size = 2;
  options.probability = {0.6, 0.6, 0.6};
  for (const auto oracle : {Oracle::minibatch, Oracle::fixed_point, Oracle::svrg}) {
    for (const auto participation : {Participation::full, Participation::bernoulli_inverse, Participation::fixed_size,
                                     Participation::bernoulli_active, Participation::fixed_size_replacement}) {
      options.oracle = oracle;
      options.participation = participation;
      for (const Law& law : gradient_family_law(problem, options))
        EXPECT_LT((law.mean - problem.target().mean).norm(), 1e-10);
    }
  }
}

TEST(GradientLaw, AgreesWithAnEnumerationByHand) {
  // Two scalar clients with coins 0.5 and 0.8, inverse probability and memory α = 0.5 have the state (θ, η¹, η²).
  const QuadraticProblem problem = points_problem({{1, 2}, {5, 6, 7}});
  GradientLawOptions options;
  options.step = 0.04;
  options.memory = 0.5;
  options.participation = Participation::bernoulli_inverse;
  options.probability = {0.5, 0.8};
  Phase phase;
  phase.noise = Eigen::Vector3d(0.08, 0, 0).asDiagonal();
  const double n[] = {2, 3}, sum[] = {3, 18}, p[] = {0.5, 0.8};
  for (int set = 0; set < 4; ++set) {
    AffineOutcome outcome{1, Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero()};
    outcome.a(0, 1) = outcome.a(0, 2) = -0.04;
    for (int i = 0; i < 2; ++i) {
      const bool in = (set >> i & 1) != 0;
      outcome.probability *= in ? p[i] : 1 - p[i];
      if (!in) continue;
      outcome.a(0, 0) -= 0.04 / p[i] * n[i];
      outcome.a(0, i + 1) += 0.04 / p[i];
      outcome.b(0) += 0.04 / p[i] * sum[i];
      outcome.a(i + 1, 0) += 0.5 * n[i];
      outcome.a(i + 1, i + 1) -= 0.5;
      outcome.b(i + 1) -= 0.5 * sum[i];
    }
    phase.outcomes.push_back(outcome);
  }
  const Law by_hand = stationary({phase})[0];
  expect_near(law_of(problem, options), {by_hand.mean.head(1), by_hand.covariance.topLeftCorner(1, 1)}, 1e-11);
}

TEST(GradientLaw, RefusesWhatItCannotDo) {
  GradientLawOptions options;
  options.step = 1;
  EXPECT_THROW(law_of(points_problem({{1, 2, 3}}), options), std::domain_error);
  options.step = 0.001;
  options.oracle = Oracle::minibatch;
  options.batch = 20;
  EXPECT_THROW(law_of(points_problem({std::vector<double>(60, 1.0)}), options), std::invalid_argument);
  options = {};
  EXPECT_THROW(law_of(points_problem({{1, 2, 3}}), options), std::invalid_argument);  // the step is missing
  options.step = 0.001;
  options.participation = GradientLawOptions::Participation::bernoulli_active;
  options.probability = {0.5, 0.5};
  EXPECT_THAT(
      [&] {
        law_of(points_problem({{1, 2, 3}}), options);
      },
      testing::ThrowsMessage<std::invalid_argument>(
          "probability: found 2 numbers for 1 clients, accepted: one per client"));
}

TEST(Outcomes, WeightsAreUnbiased) {
  const Eigen::Vector3d sizes(3, 5, 2);
  GradientLawOptions options;
  options.size = 2;
  for (const auto participation : {Participation::full, Participation::bernoulli_active, Participation::fixed_size,
                                   Participation::bernoulli_inverse, Participation::fixed_size_replacement}) {
    options.participation = participation;
    options.probability = participation == Participation::bernoulli_inverse ? std::vector<double>{0.2, 0.5, 1.0}
                                                                            : std::vector<double>(3, 0.3);
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    double total = 0;
    for (const Attendance& attendance : attendances(options, sizes)) {
      mean += attendance.probability * attendance.weight;
      total += attendance.probability;
    }
    EXPECT_NEAR(total, 1, 1e-12);
    EXPECT_LT((mean - Eigen::Vector3d::Ones()).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace pollen::stats
