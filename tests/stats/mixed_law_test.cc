// Compares the linear mixed model with densities written out, formulas by hand and Fisher's identity.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "mixed_problems.h"

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double log_normal(const VectorXd& x, const VectorXd& mean, const MatrixXd& covariance) {
  const VectorXd r = x - mean;
  return -0.5 * (static_cast<double>(x.size()) * std::log(2 * std::numbers::pi) + std::log(covariance.determinant()) +
                 r.dot(covariance.inverse() * r));
}

MatrixXd diagonal(const VectorXd& log_sd) { return VectorXd((2 * log_sd).array().exp()).asDiagonal(); }

double log_rows(const MixedClient& client, const VectorXd& z, const MixedParameters& at) {
  const Index n = client.y.size();
  VectorXd mean = client.random * z;
  if (at.phi.size() > 0) mean += client.fixed * at.phi;
  return log_normal(client.y, mean, std::exp(2 * at.log_noise) * MatrixXd::Identity(n, n));
}

double log_effect(const VectorXd& z, const MixedParameters& at) { return log_normal(z, at.mean, diagonal(at.log_sd)); }

// Returns Q_i as minus the second differences of log p(y | z) + log p(z), which is quadratic in z.
MatrixXd precision(const MixedClient& client, const MixedParameters& at) {
  const Index d = at.mean.size();
  const auto f = [&](const VectorXd& z) { return log_rows(client, z, at) + log_effect(z, at); };
  MatrixXd q(d, d);
  for (Index k = 0; k < d; ++k)
    for (Index l = 0; l < d; ++l) {
      const VectorXd u = VectorXd::Unit(d, k), v = VectorXd::Unit(d, l);
      q(k, l) = -0.25 * (f(u + v) - f(u - v) - f(v - u) + f(-u - v));
    }
  return q;
}

TEST(MixedLaw, LikelihoodIsTheDensityOfTheRows) {
  for (const Index p : {0, 2}) {
    const auto clients = mixed_clients({3, 1, 4}, p, 2);  // one client with fewer rows than effects
    const MixedParameters at = mixed_point(p, 2);
    double expected = 0;
    for (const MixedClient& client : clients) {
      const MatrixXd& b = client.random;
      const Index n = client.y.size();
      VectorXd mean = b * at.mean;
      if (p > 0) mean += client.fixed * at.phi;
      const MatrixXd covariance =
          b * diagonal(at.log_sd) * b.transpose() + std::exp(2 * at.log_noise) * MatrixXd::Identity(n, n);
      expected += log_normal(client.y, mean, covariance);
    }
    EXPECT_NEAR(mixed_log_likelihood(clients, at), expected, 1e-11);
  }
}

TEST(MixedLaw, EmptyFixedDesignAndEmptyClientsAddNothing) {
  auto clients = mixed_clients({3, 2}, 0, 2);
  const MixedParameters at = mixed_point(0, 2);
  const double value = mixed_log_likelihood(clients, at);
  const VectorXd gradient = flat(mixed_gradient(clients, at));
  clients[0].fixed = MatrixXd();
  clients.push_back({MatrixXd(0, 0), MatrixXd(0, 2), VectorXd(0)});
  EXPECT_NEAR(mixed_log_likelihood(clients, at), value, 1e-13);
  EXPECT_LT((flat(mixed_gradient(clients, at)) - gradient).norm(), 1e-13);
  EXPECT_LT((mixed_posterior(clients[2], at).covariance - diagonal(at.log_sd)).norm(), 1e-14);
}

TEST(MixedLaw, GradientAgreesWithDifferences) {
  for (const Index p : {0, 3})
    for (const Index d : {1, 3}) {
      const auto clients = mixed_clients({5, 2, 7, 1}, p, d);
      const MixedParameters at = mixed_point(p, d);
      const auto value = [&](const MixedParameters& x) { return mixed_log_likelihood(clients, x); };
      const VectorXd exact = flat(mixed_gradient(clients, at));
      EXPECT_GT(exact.cwiseAbs().minCoeff(), 1e-2);  // a wrong sign would show in every entry
      EXPECT_LT((exact - differences(value, at)).cwiseAbs().maxCoeff(), 1e-8) << exact.transpose();
    }
}

TEST(MixedLaw, PosteriorIsTheCompletedSquare) {
  const MixedClient client = mixed_clients({4}, 1, 3)[0];
  const MixedParameters at = mixed_point(1, 3);
  const Law law = mixed_posterior(client, at);
  EXPECT_LT((law.covariance * precision(client, at) - MatrixXd::Identity(3, 3)).norm(), 1e-10);
  // By Bayes' theorem, log p(y | z) + log p(z) - log p(z | y) is the marginal likelihood at every z.
  for (const double t : {0.0, 1.0, 2.5}) {
    const VectorXd z = Eigen::Vector3d(std::sin(t), std::cos(t), t - 1);
    EXPECT_NEAR(log_rows(client, z, at) + log_effect(z, at) - log_normal(z, law.mean, law.covariance),
                mixed_log_likelihood({client}, at), 1e-10);
  }
}

TEST(MixedLaw, InterceptsShrinkTowardsTheMean) {
  EXPECT_DOUBLE_EQ(shrinkage(3, 2, 1), 12.0 / 13);
  EXPECT_DOUBLE_EQ(shrinkage(0, 2, 1), 0);
  MixedParameters at = mixed_point(2, 1);
  at.log_sd(0) = std::log(0.8);
  at.log_noise = std::log(1.7);
  for (const MixedClient& client : mixed_clients({1, 4, 9}, 2, 1)) {
    const auto n = static_cast<double>(client.y.size());
    const double weight = shrinkage(client.y.size(), 0.8, 1.7), mean = (client.y - client.fixed * at.phi).mean();
    const Law law = mixed_posterior(client, at);
    EXPECT_NEAR(law.mean(0), at.mean(0) + weight * (mean - at.mean(0)), 1e-13);
    EXPECT_NEAR(law.covariance(0, 0), weight * 1.7 * 1.7 / n, 1e-13);
  }
}

TEST(MixedLaw, FisherIdentity) {
  for (const Index p : {0, 2}) {
    const MixedParameters at = mixed_point(p, 3);
    for (const MixedClient& client : mixed_clients({6, 2, 3}, p, 3)) {
      const VectorXd score = flat(langevin_score(client, at, 0)), exact = flat(mixed_gradient({client}, at));
      EXPECT_LT((score - exact).cwiseAbs().maxCoeff(), 1e-11) << score.transpose() << "\n" << exact.transpose();
      EXPECT_GT((flat(langevin_score(client, at, 0.01)) - exact).norm(), 1e-3);
    }
  }
}

// The chain's covariance comes from its own recursion S ← (I - γQ) S (I - γQ) + 2γ I, and scores are differences of the
// densities. They are quadratic in z, so their mean under N(m, S) is the mean over the 2d points m ± √d times the
// columns of S's root.
TEST(MixedLaw, LangevinScoreIsTheMeanOverTheChain) {
  const Index d = 3;
  const MixedClient client = mixed_clients({5}, 2, d)[0];
  const MixedParameters at = mixed_point(2, d);
  const MatrixXd q = precision(client, at);
  const double step = 1.2 / q.eigenvalues().real().maxCoeff();
  const MatrixXd contract = MatrixXd::Identity(d, d) - step * q;
  MatrixXd s = MatrixXd::Zero(d, d);
  for (int k = 0; k < 2000; ++k) s = (contract * s * contract + 2 * step * MatrixXd::Identity(d, d)).eval();
  const MatrixXd root = std::sqrt(static_cast<double>(d)) * MatrixXd(s.llt().matrixL());
  const VectorXd mean = mixed_posterior(client, at).mean;
  VectorXd expected = VectorXd::Zero(2 + 2 * d + 1);
  for (Index k = 0; k < 2 * d; ++k) {
    const VectorXd z = mean + (k < d ? 1 : -1) * root.col(k % d);
    const auto complete = [&](const MixedParameters& x) { return log_rows(client, z, x) + log_effect(z, x); };
    expected += differences(complete, at) / static_cast<double>(2 * d);
  }
  EXPECT_LT((flat(langevin_score(client, at, step)) - expected).cwiseAbs().maxCoeff(), 1e-7) << expected.transpose();
}

TEST(MixedLaw, LangevinScoreByHand) {
  // Rows 1 and 3 with μ = 0, σ = 1, s = 1 and no φ give Q = 3, m = 4/3; γ = 1/3 gives the variance 1/(3 - 3/2) = 2/3.
  const MixedClient client{MatrixXd(2, 0), MatrixXd::Ones(2, 1), Eigen::Vector2d(1, 3)};
  const MixedParameters at{VectorXd(0), VectorXd::Zero(1), VectorXd::Zero(1), 0};
  const MixedParameters score = langevin_score(client, at, 1.0 / 3);
  EXPECT_NEAR(score.mean(0), 4.0 / 3, 1e-14);
  EXPECT_NEAR(score.log_sd(0), 16.0 / 9 + 2.0 / 3 - 1, 1e-14);
  EXPECT_NEAR(score.log_noise, 1.0 / 9 + 25.0 / 9 + 2 * 2.0 / 3 - 2, 1e-14);
  EXPECT_THROW(langevin_score(client, at, 0.67), std::domain_error);  // 0.67 · 3 > 2
  EXPECT_THROW(langevin_score(client, at, -0.1), std::domain_error);
}

TEST(MixedLaw, RefusesShapesThatDoNotFit) {
  auto clients = mixed_clients({3}, 1, 2);
  EXPECT_THROW(mixed_log_likelihood(clients, mixed_point(2, 2)), std::invalid_argument);
  EXPECT_THROW(mixed_gradient(clients, mixed_point(1, 1)), std::invalid_argument);
  clients[0].y = VectorXd::Zero(4);
  EXPECT_THROW(mixed_posterior(clients[0], mixed_point(1, 2)), std::invalid_argument);
  EXPECT_THROW(langevin_score(clients[0], mixed_point(1, 2), 0.01), std::invalid_argument);
}

}  // namespace
}  // namespace pollen::stats
