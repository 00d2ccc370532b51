// DG-LMC on Gaussian clients is a linear recursion in (x_1, ..., x_b, θ), so its law is solved exactly, discretisation
// included.
#include <cmath>

#include "support.h"

namespace pollen::reference {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Steps {
  double step = 0.1, tolerance = 0.5;
  int local = 1;
  double temperature = 1;
};

// One round is K times x_i ← (I - γ(A_i + I/ρ)) x_i + γ(h_i + θ/ρ) + noise, then θ = mean x_i + noise.
stats::Law exact_law(const stats::QuadraticProblem& problem, const Steps& s) {
  const auto clients = static_cast<Index>(problem.clients.size());
  const Index d = problem.prior_precision.size(), n = (clients + 1) * d;
  const MatrixXd one = MatrixXd::Identity(d, d);
  MatrixXd moves = MatrixXd::Identity(n, n), noise = MatrixXd::Zero(n, n);
  VectorXd shift = VectorXd::Zero(n);
  for (Index i = 0; i < clients; ++i) {
    MatrixXd curvature = problem.prior_precision.asDiagonal();
    curvature /= static_cast<double>(clients);
    VectorXd centre = VectorXd::Zero(d);
    for (const auto& term : problem.clients[static_cast<std::size_t>(i)].terms) {
      curvature += term.curvature;
      centre += term.shift;
    }
    const MatrixXd keep = one - s.step * (curvature + one / s.tolerance);
    MatrixXd power = one, gain = MatrixXd::Zero(d, d), spread = gain;
    for (int k = 0; k < s.local; ++k) {
      gain += power;
      spread += 2 * s.step * s.temperature * power * power.transpose();
      power = keep * power;
    }
    moves.block(i * d, i * d, d, d) = power;
    moves.block(i * d, clients * d, d, d) = s.step / s.tolerance * gain;
    shift.segment(i * d, d) = s.step * gain * centre;
    noise.block(i * d, i * d, d, d) = spread;
  }
  MatrixXd centre = MatrixXd::Identity(n, n);
  centre.bottomRows(d).setZero();
  for (Index i = 0; i < clients; ++i) centre.block(clients * d, i * d, d, d) = one / static_cast<double>(clients);
  MatrixXd total = centre * noise * centre.transpose();
  total.bottomRightCorner(d, d) += s.temperature * s.tolerance / static_cast<double>(clients) * one;
  const stats::Law law = stats::stationary({{{{1, centre * moves, centre * shift}}, total}})[0];
  return {law.mean.tail(d), law.covariance.bottomRightCorner(d, d)};
}

Sampled sampled(const Federated& on, const Steps& s, const ReferenceSettings& extra = {}) {
  ReferenceSettings settings = extra;
  settings.step = s.step;
  settings.tolerance = s.tolerance;
  settings.local_steps = s.local;
  const ReferenceProblem problem = on.problem(128, 3, s.temperature);
  const auto engine = started("dg-lmc", problem, settings);
  return run(*engine, on, {300, 3000});
}

TEST(DgLmc, HasTheLawOfItsRecursion) {
  const Federated on = matrices();
  for (const Steps& s : {Steps{0.1, 0.5, 1}, Steps{0.15, 0.8, 4}, Steps{0.1, 0.3, 3, 2.0}}) {
    const Sampled result = sampled(on, s);
    expect_law(result.only(), exact_law(on.exact, s));
    EXPECT_GT(laws::distance(result.only(), target_of(on, s.temperature)), kTellApart) << "no bias to be seen";
    Steps longer = s, looser = s;
    longer.step *= 1.4;
    looser.tolerance *= 1.4;
    stats::QuadraticProblem prior_on_each = on.exact;
    prior_on_each.prior_precision *= 3;
    EXPECT_GT(laws::distance(result.only(), exact_law(on.exact, longer)), kTellApart);
    EXPECT_GT(laws::distance(result.only(), exact_law(on.exact, looser)), kTellApart);
    EXPECT_GT(laws::distance(result.only(), exact_law(prior_on_each, s)), kTellApart);
  }
}

TEST(DgLmc, TendsToTheTarget) {
  const Federated on = matrices();
  const stats::Law target = target_of(on);
  double last = 1e9;
  for (const double tolerance : {0.1, 0.01, 0.001}) {
    const stats::Law law = exact_law(on.exact, {tolerance / 50, tolerance, 20});
    const double distance = (law.mean - target.mean).norm() + (law.covariance - target.covariance).norm();
    EXPECT_LT(distance, last / 3);
    last = distance;
  }
  EXPECT_LT(last, 0.01);
}

// Minibatches of local rows add noise but keep the mean.
TEST(DgLmc, TakesMinibatches) {
  const Federated on = regression();
  const Steps s{0.05, 0.5, 2};
  const Sampled result = sampled(on, s, {.batch = {.count = 1, .fraction = {}}});
  const stats::Law law = exact_law(on.exact, s);
  EXPECT_LT(laws::worst(result.only().mean - law.mean, result.only().mean_error), kAgree);
  EXPECT_GT(laws::distance(result.only(), law), kTellApart);
  EXPECT_EQ(result.counters.gradients, 3300 * 128 * 2 * 3);
}

}  // namespace
}  // namespace pollen::reference
