// Maximum likelihood of the linear mixed model, where it is known in closed form and as a zero of the gradient.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "mixed_problems.h"

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A one-way layout: b groups of n rows with intercepts alone. With SSW = ΣΣ (y - ȳ_i)², SSB = n Σ (ȳ_i - ȳ)² and λ = s²
// + n σ² the rows' covariance in a group has the eigenvalues s² (n - 1 times) and λ (once), so at μ = ȳ
//   -2 log p = const + b (n-1) log s² + b log λ + SSW/s² + SSB/λ.
// Its zeros are s² = SSW/(b (n-1)) = MSW and λ = SSB/b = (1 - 1/b) MSB, hence σ² = ((1 - 1/b) MSB - MSW)/n if above 0.
struct OneWay {
  std::vector<MixedClient> clients;
  double mean = 0, ssw = 0, ssb = 0, groups = 0, rows = 0;
};

OneWay one_way(const std::vector<std::vector<double>>& data) {
  OneWay result;
  result.groups = static_cast<double>(data.size());
  result.rows = static_cast<double>(data[0].size());
  for (const auto& group : data) {
    const VectorXd y = Eigen::Map<const VectorXd>(group.data(), static_cast<Index>(group.size()));
    result.clients.push_back({MatrixXd(y.size(), 0), MatrixXd::Ones(y.size(), 1), y});
    result.mean += y.mean() / result.groups;
    result.ssw += (y.array() - y.mean()).square().sum();
  }
  for (const MixedClient& client : result.clients)
    result.ssb += result.rows * std::pow(client.y.mean() - result.mean, 2);
  return result;
}

const std::vector<std::vector<double>> kApart = {{1, 2, 4}, {6, 5, 7.5}, {-1, 0.5, 0}, {3, 2, 2.5}};
const std::vector<std::vector<double>> kAlike = {{1, 2, 4.5}, {2, 0.5, 5}, {3, 1, 3.3}, {0, 4, 3}};

double variance(double log_sd) { return std::exp(2 * log_sd); }

MixedParameters plain_start(Index p, Index d) { return {VectorXd::Zero(p), VectorXd::Zero(d), VectorXd::Zero(d), 0}; }

TEST(MixedMle, BalancedOneWayLayout) {
  const OneWay layout = one_way(kApart);
  const double b = layout.groups, n = layout.rows;
  const double msw = layout.ssw / (b * (n - 1)), msb = layout.ssb / (b - 1);
  ASSERT_GT((1 - 1 / b) * msb, msw);
  const MixedParameters answer = mixed_mle(layout.clients, plain_start(0, 1));
  EXPECT_NEAR(answer.mean(0), layout.mean, 1e-8);
  EXPECT_NEAR(variance(answer.log_noise), msw, 1e-8);
  EXPECT_NEAR(variance(answer.log_sd(0)), ((1 - 1 / b) * msb - msw) / n, 1e-8);
}

TEST(MixedMle, NoiseGivenIsKept) {
  const OneWay layout = one_way(kApart);
  MixedParameters start = plain_start(0, 1);
  start.log_noise = std::log(0.9);
  const MixedParameters answer = mixed_mle(layout.clients, start, {.scalar_sd = false, .fix_noise = true});
  EXPECT_EQ(answer.log_noise, start.log_noise);
  EXPECT_NEAR(variance(answer.log_sd(0)), (layout.ssb / layout.groups - 0.81) / layout.rows, 1e-8);
}

// If groups are nearer to each other than by chance, σ = 0 and all rows have one variance (SSW + SSB)/(b n).
TEST(MixedMle, NoVarianceBetweenGroups) {
  const OneWay layout = one_way(kAlike);
  ASSERT_LT(layout.ssb / layout.groups, layout.ssw / (layout.groups * (layout.rows - 1)));
  const MixedParameters answer = mixed_mle(layout.clients, plain_start(0, 1));
  EXPECT_LT(variance(answer.log_sd(0)), 1e-7);
  EXPECT_NEAR(variance(answer.log_noise), (layout.ssw + layout.ssb) / (layout.groups * layout.rows), 1e-7);
}

// Two one-way layouts side by side, rows of the first with b = (1, 0) and of the second with (0, 1). The likelihood is
// the sum of theirs with a common s², so s² = ΣSSW/(2 b (n-1)) and λ_k = SSB_k/b; with one σ, λ = ΣSSB/(2b).
TEST(MixedMle, OneSdOrOneEach) {
  auto second = kApart;
  for (std::size_t i = 0; i < second.size(); ++i)
    for (double& y : second[i]) y = 2 * y + std::cos(static_cast<double>(3 * i));
  const OneWay left = one_way(kApart), right = one_way(second);
  std::vector<MixedClient> clients;
  for (std::size_t i = 0; i < left.clients.size(); ++i) {
    MixedClient client{MatrixXd(6, 0), MatrixXd::Zero(6, 2), VectorXd(6)};
    client.random.topLeftCorner(3, 1).setOnes();
    client.random.bottomRightCorner(3, 1).setOnes();
    client.y << left.clients[i].y, right.clients[i].y;
    clients.push_back(client);
  }
  const double b = left.groups, n = left.rows, noise = (left.ssw + right.ssw) / (2 * b * (n - 1));
  const MixedParameters each = mixed_mle(clients, plain_start(0, 2));
  EXPECT_NEAR(variance(each.log_noise), noise, 1e-8);
  EXPECT_NEAR(variance(each.log_sd(0)), (left.ssb / b - noise) / n, 1e-7);
  EXPECT_NEAR(variance(each.log_sd(1)), (right.ssb / b - noise) / n, 1e-7);
  const MixedParameters one = mixed_mle(clients, plain_start(0, 2), {.scalar_sd = true, .fix_noise = false});
  EXPECT_EQ(one.log_sd(0), one.log_sd(1));
  EXPECT_NEAR(variance(one.log_sd(0)), ((left.ssb + right.ssb) / (2 * b) - noise) / n, 1e-7);
  EXPECT_NEAR(one.mean(1), right.mean, 1e-8);
}

// A covariate that sums to 0 in every group is orthogonal to the intercepts. Then φ is the pooled slope within groups,
// and SSW becomes the residual sum of squares after it.
TEST(MixedMle, SlopeWithinGroups) {
  OneWay layout = one_way(kApart);
  const VectorXd x = Eigen::Vector3d(-1, 0.25, 0.75);
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < layout.clients.size(); ++i) {
    const double scale = 1 + static_cast<double>(i);
    layout.clients[i].fixed = scale * x;
    xy += scale * x.dot(layout.clients[i].y);
    xx += scale * scale * x.squaredNorm();
  }
  const double noise = (layout.ssw - xy * xy / xx) / (layout.groups * (layout.rows - 1));
  const MixedParameters answer = mixed_mle(layout.clients, plain_start(1, 1));
  EXPECT_NEAR(answer.phi(0), xy / xx, 1e-8);
  EXPECT_NEAR(variance(answer.log_noise), noise, 1e-8);
  EXPECT_NEAR(variance(answer.log_sd(0)), (layout.ssb / layout.groups - noise) / layout.rows, 1e-8);
}

TEST(MixedMle, GradientIsZeroAndEverythingAroundIsLower) {
  const auto clients = mixed_clients({5, 8, 3, 6, 9, 4, 7, 5}, 2, 2);
  for (const bool scalar : {false, true}) {
    const MixedParameters answer = mixed_mle(clients, plain_start(2, 2), {.scalar_sd = scalar, .fix_noise = false});
    VectorXd gradient = flat(mixed_gradient(clients, answer));
    if (scalar) {
      EXPECT_GT(std::abs(gradient(4) - gradient(5)), 0.1);  // one σ for both is a restriction here
      gradient(4) = gradient(5) = gradient(4) + gradient(5);
    }
    EXPECT_LT(gradient.norm(), 1e-8 * 47) << gradient.transpose();  // 47 rows
    const double top = mixed_log_likelihood(clients, answer);
    for (Index k = 0; k < gradient.size(); ++k)
      for (const double shift : {-0.01, 0.01}) {
        if (scalar && (k == 4 || k == 5)) continue;
        const VectorXd moved = flat(answer) + shift * VectorXd::Unit(gradient.size(), k);
        EXPECT_LT(mixed_log_likelihood(clients, unflat(moved, 2, 2)), top);
      }
  }
}

TEST(MixedMle, SameAnswerFromBadStartsAndInOtherUnits) {
  auto clients = mixed_clients({5, 8, 3, 6, 9, 4, 7, 5}, 2, 2);
  const VectorXd answer = flat(mixed_mle(clients, plain_start(2, 2)));
  MixedParameters start = plain_start(2, 2);
  start.log_sd.setConstant(-20);  // the gradient by log_sd is 0 to the last digit there
  EXPECT_LT((flat(mixed_mle(clients, start)) - answer).norm(), 1e-7);
  start = {VectorXd::Constant(2, 50), VectorXd::Constant(2, -80), VectorXd::Constant(2, 6), -6};
  EXPECT_LT((flat(mixed_mle(clients, start)) - answer).norm(), 1e-7);
  for (MixedClient& client : clients) client.y *= 1e6;
  VectorXd scaled = flat(mixed_mle(clients, plain_start(2, 2)));
  scaled.head(4) /= 1e6;
  scaled.tail(3).array() -= std::log(1e6);
  EXPECT_LT((scaled - answer).norm(), 1e-7);
}

TEST(MixedMle, RefusesWhatHasNoMaximum) {
  auto clients = mixed_clients({5, 4}, 1, 1);
  for (MixedClient& client : clients) client.fixed.setOnes();  // φ and μ cannot be told apart
  EXPECT_THROW(mixed_mle(clients, plain_start(1, 1)), std::invalid_argument);
  EXPECT_THROW(mixed_mle({}, plain_start(1, 1)), std::invalid_argument);
  EXPECT_THROW(mixed_mle({}, plain_start(0, 0)), std::invalid_argument);
  for (MixedClient& client : clients) {  // a fit without noise, where the density has no bound
    client.fixed.col(0).setLinSpaced(0, 1);
    client.y = 2 * client.fixed.col(0);
  }
  EXPECT_THROW(mixed_mle(clients, plain_start(1, 1)), std::domain_error);
}

}  // namespace
}  // namespace pollen::stats
