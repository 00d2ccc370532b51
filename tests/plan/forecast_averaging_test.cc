// Forecasts against the exact laws of the averaging family.
#include <gtest/gtest.h>

#include "forecast_cases.h"
#include "stats/problems.h"

namespace pollen::plan {
namespace {

using stats::AveragingLawOptions;
using Who = GradientLawOptions::Participation;

struct Inputs {
  GaussianSums sums;
  Dynamics dynamics;
};

GradientLawOptions who_of(const AveragingLawOptions& o) {
  GradientLawOptions presence;
  presence.participation = o.participation;
  presence.probability = o.probability;
  presence.size = o.size;
  return presence;
}

Inputs inputs_of(const QuadraticProblem& problem, const AveragingLawOptions& o) {
  auto clients = at_mode(problem, o.batch, o.temperature);
  const Weighting presence = weighting_of(who_of(o), clients);
  const auto b = static_cast<double>(clients.size());
  double total = 0, heat = 0;
  for (const AtMode& c : clients) total += c.rows;
  const double common = o.by_size ? o.correlation * o.correlation : o.correlation;
  for (std::size_t i = 0; i < clients.size(); ++i)
    heat += (o.by_size ? clients[i].rows / total : 1 / b) * (common + (1 - common) * presence.square(i));
  const MatrixXd s = heat * problem.target(o.temperature).covariance;
  const Index d = s.rows();
  const bool control = o.refresh > 0;
  Inputs in;
  in.dynamics = {.temperature = o.temperature, .heat = heat, .unit = o.by_size ? 1 : 1 / b};
  in.dynamics.mean_steps = o.communicate > 0 ? 1 / o.communicate : o.steps;
  in.dynamics.further_steps = o.communicate > 0 ? (1 - o.communicate) / o.communicate : (o.steps - 1) / 2.0;
  in.dynamics.anchor_chance = o.refresh;
  in.dynamics.stride = in.dynamics.mean_steps;
  const double round = 2 * in.dynamics.further_steps + 1;  // E K²/E K
  in.sums.hessian = in.sums.squares = MatrixXd::Zero(d, d);
  in.sums.drift = VectorXd::Zero(d);
  MatrixXd participation = MatrixXd::Zero(d, d), minibatch = participation, compression = participation;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    AtMode& c = clients[i];
    const MatrixXd rows = control ? c.noise_around(s) : MatrixXd(c.noise_at_mode() + c.noise_around(s));
    const double w = o.by_size ? c.rows / total : 1 / b;
    c.curvature += w * problem.prior_curvature();
    c.gradient += w * problem.prior_curvature() * problem.target().mean;
    const MatrixXd whole = c.gradient * c.gradient.transpose() + c.curvature * s * c.curvature;
    in.sums.hessian += c.curvature;
    in.sums.squares += c.curvature * c.curvature / w;
    if (!control) in.sums.drift += c.curvature * c.gradient / w;
    participation += round * presence.own[i] * whole;
    minibatch += presence.square(i) * rows;
    if (o.up == GradientLawOptions::Compressor::rand_k)
      compression += presence.square(i) * (round * rand_k(whole, o.k) + rand_k(rows, o.k));
  }
  participation += round * presence.common * in.sums.hessian * s * in.sums.hessian;
  in.sums.noise = {
      {Cause::participation, participation}, {Cause::minibatch, minibatch, control}, {Cause::compression, compression}};
  return in;
}

struct Errors {
  double sd = 0, mean = 0, sd_effect = 0, mean_effect = 0;
};

Errors errors_at(const QuadraticProblem& problem, AveragingLawOptions o, const Inputs& in, double step) {
  o.step = step;
  const stats::Law target = problem.target(o.temperature), law = stats::averaging_family_law(problem, o).front();
  const VectorXd variance = target.covariance.diagonal();
  const VectorXd exact = law.covariance.diagonal().cwiseQuotient(variance);
  const VectorXd off = (law.mean - target.mean).cwiseQuotient(variance.cwiseSqrt());
  const Forecast forecast = Forecaster(in.sums, in.dynamics).at(step);
  return {(exact - forecast.ratio.cwiseAbs2()).cwiseAbs().maxCoeff(), (off - forecast.bias).cwiseAbs().maxCoeff(),
          (exact.array() - in.dynamics.heat).abs().maxCoeff(), off.cwiseAbs().maxCoeff()};
}

void expect_second_order(const QuadraticProblem& problem, const AveragingLawOptions& o, const char* name) {
  SCOPED_TRACE(name);
  const Inputs in = inputs_of(problem, o);
  const double step = 0.02 * Forecaster(in.sums, in.dynamics).stable();
  const Errors whole = errors_at(problem, o, in, step), half = errors_at(problem, o, in, step / 2);
  EXPECT_LT(whole.sd, 0.25 * whole.sd_effect + 1e-9) << whole.sd_effect;
  EXPECT_LT(half.sd, 0.35 * whole.sd + 1e-9);
  EXPECT_LT(whole.mean, 0.25 * whole.mean_effect + 1e-9) << whole.mean_effect;
  EXPECT_LT(half.mean, 0.35 * whole.mean + 1e-9);
}

TEST(ForecastAveraging, FixedAndRandomGaps) {
  const QuadraticProblem problem = stats::regression_problem();
  for (const bool by_size : {false, true})
    for (const double correlation : {1.0, 0.3})
      for (const int batch : {0, 2}) {
        AveragingLawOptions o{.by_size = by_size, .correlation = correlation, .steps = 5, .batch = batch};
        expect_second_order(problem, o, "K = 5");
        o.steps = 1;
        expect_second_order(problem, o, "K = 1");
        o.communicate = 0.2;
        expect_second_order(problem, o, "p_c = 0.2");
      }
}

TEST(ForecastAveraging, SomeClients) {
  const QuadraticProblem problem = stats::regression_problem();
  for (const double correlation : {1.0, 0.3}) {
    AveragingLawOptions o{.by_size = true, .correlation = correlation, .steps = 4, .size = 2};
    o.participation = Who::fixed_size_replacement;
    // With private noise and unequal sizes a term of first order is left out (docs/plan.md).
    if (correlation == 1) expect_second_order(problem, o, "scheme I");
    o.by_size = false;
    o.participation = Who::fixed_size;
    expect_second_order(problem, o, "fixed size");
    o.participation = Who::bernoulli_active;
    o.probability = {0.5, 0.5, 0.5};
    expect_second_order(problem, o, "active");
  }
}

TEST(ForecastAveraging, CompressedChanges) {
  const QuadraticProblem problem = stats::regression_problem();
  AveragingLawOptions o{.steps = 4, .batch = 2, .up = GradientLawOptions::Compressor::rand_k, .k = 1};
  expect_second_order(problem, o, "rand-k");
}

TEST(ForecastAveraging, ControlVariates) {
  const QuadraticProblem problem = stats::regression_problem();
  AveragingLawOptions o{.communicate = 0.25, .refresh = 0.25};
  expect_second_order(problem, o, "full gradients");
  o.batch = 2;
  expect_second_order(problem, o, "minibatches");
}

}  // namespace
}  // namespace pollen::plan
