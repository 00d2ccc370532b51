// Compares stationary laws of random affine recursions with closed forms.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "stats/exact_law.h"
#include "stats/moment_solve.h"

namespace pollen::stats {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd scalar(double x) { return MatrixXd::Constant(1, 1, x); }
AffineOutcome outcome(double probability, double a, double b) {
  return {probability, scalar(a), VectorXd::Constant(1, b)};
}

TEST(Stationary, ScalarWithTwoOutcomes) {
  const Phase phase{{outcome(0.25, 0.5, 1), outcome(0.75, -0.2, 2)}, scalar(0.3)};
  const std::vector<Law> laws = stationary({phase});
  const double a = 0.25 * 0.5 - 0.75 * 0.2, b = 0.25 + 1.5, mean = b / (1 - a);
  // The second moment satisfies E s² = E[A²] E s² + 2 E[A b] E s + E[b²] + noise.
  const double aa = 0.25 * 0.25 + 0.75 * 0.04, ab = 0.25 * 0.5 - 0.75 * 0.4, bb = 0.25 + 0.75 * 4;
  const double second = (2 * ab * mean + bb + 0.3) / (1 - aa);
  ASSERT_EQ(laws.size(), 1U);
  EXPECT_NEAR(laws[0].mean(0), mean, 1e-14);
  EXPECT_NEAR(laws[0].covariance(0, 0), second - mean * mean, 1e-13);
}

TEST(Stationary, CyclesGiveTheLawAfterEachPhase) {
  const Phase shrink{{outcome(1, 0.5, 0)}, scalar(1)}, grow{{outcome(1, 1.2, 3)}, scalar(0)};
  const std::vector<Law> laws = stationary({shrink, grow});
  // By hand, v1 = v2/4 + 1, v2 = 1.44 v1; m1 = m2/2, m2 = 1.2 m1 + 3.
  EXPECT_NEAR(laws[0].covariance(0, 0), 1 / (1 - 0.36), 1e-13);
  EXPECT_NEAR(laws[1].covariance(0, 0), 1.44 / (1 - 0.36), 1e-13);
  EXPECT_NEAR(laws[0].mean(0), 1.5 / 0.4, 1e-13);
  EXPECT_NEAR(laws[1].mean(0), 3 / 0.4, 1e-13);
}

TEST(Stationary, RefusesWhatIsNotMeanSquareStable) {
  EXPECT_THROW(stationary({Phase{{outcome(1, 1, 0)}, scalar(1)}}), std::domain_error);  // a random walk
  EXPECT_THROW(stationary({Phase{{outcome(1, -1.01, 0)}, scalar(1)}}), std::domain_error);
  // The mean contracts (E A = 0), but the square does not (E A² = 1.21).
  EXPECT_THROW(stationary({Phase{{outcome(0.5, 1.1, 0), outcome(0.5, -1.1, 0)}, scalar(1)}}), std::domain_error);
  EXPECT_NO_THROW(stationary({Phase{{outcome(0.5, 0.99, 0), outcome(0.5, -0.99, 0)}, scalar(1)}}));
  // One of two directions does not contract.
  const Phase half{{{1, Eigen::Vector2d(0.5, 1).asDiagonal(), VectorXd::Zero(2)}}, MatrixXd::Identity(2, 2)};
  EXPECT_THROW(stationary({half}), std::domain_error);
}

TEST(Stationary, RefusesWhatIsNoRecursion) {
  EXPECT_THROW(stationary(std::vector<Phase>{}), std::invalid_argument);
  EXPECT_THROW(stationary({Phase{{}, scalar(1)}}), std::invalid_argument);
  EXPECT_THROW(stationary({Phase{{outcome(0.5, 0.1, 0)}, scalar(1)}}), std::invalid_argument);
  EXPECT_THROW(stationary({Phase{{outcome(1, 0.1, 0)}, MatrixXd::Identity(2, 2)}}), std::invalid_argument);
}

TEST(CycleSolver, IterationAgreesWithTheLinearSystem) {
  const Eigen::Index n = 6;
  MomentMap map{MatrixXd::Zero(n, n + 1), {}, MatrixXd::Identity(n, n)};
  MatrixXd deviation = MatrixXd::Zero(n, n + 1);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      map.mean(i, j) = (i == j ? 0.8 : 0) + 0.02 * std::sin(static_cast<double>(3 * i + j));
      deviation(i, j) = 0.1 * std::cos(static_cast<double>(i + 5 * j));
    }
  }
  map.deviations.push_back(deviation);
  const Cycle cycle{&map, &map};
  const MatrixXd right = MatrixXd::Identity(n, n) + MatrixXd::Constant(n, n, 0.5);
  const MatrixXd direct = CycleSolver(cycle).solve(right), iterated = CycleSolver(cycle, 0).solve(right);
  EXPECT_LT((direct - iterated).norm(), 1e-10 * direct.norm());
  EXPECT_LT((direct - map.linear_part(map.linear_part(direct)) - right).norm(), 1e-10);
}

TEST(Stationary, TakesMoreThanTheDirectSize) {
  const Eigen::Index n = CycleSolver::kDirect + 5;
  MatrixXd a = 0.6 * MatrixXd::Identity(n, n);
  a.diagonal(1).setConstant(0.2);
  const Law law = stationary({Phase{{{1, a, VectorXd::Ones(n)}}, MatrixXd::Identity(n, n)}})[0];
  const MatrixXd next = a * law.covariance * a.transpose() + MatrixXd::Identity(n, n);
  EXPECT_LT((law.covariance - next).norm(), 1e-10 * next.norm());
}

}  // namespace
}  // namespace pollen::stats
