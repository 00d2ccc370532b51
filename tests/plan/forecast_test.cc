// Forecasts against the exact laws of the gradient family: the error of a first-order forecast must shrink like the
// square of the step.
#include <gtest/gtest.h>

#include <tuple>

#include "forecast_cases.h"
#include "stats/problems.h"

namespace pollen::plan {
namespace {

using Oracle = GradientLawOptions::Oracle;
using Who = GradientLawOptions::Participation;
using Compressor = GradientLawOptions::Compressor;

struct Inputs {
  GaussianSums sums;
  Dynamics dynamics;
};

double weight_of_memory(const GradientLawOptions& o, double omega) {
  return *o.memory * (1 + omega) / (2 - *o.memory * (1 + omega));
}

// Sums over the clients as docs/plan.md defines them. `g` and `s` say whether gradients at the mode and those around it
// make noise.
Inputs inputs_of(const QuadraticProblem& problem, const GradientLawOptions& o) {
  const auto clients = at_mode(problem, o.batch, o.temperature);
  const Weighting presence = weighting_of(o, clients);
  const MatrixXd s = problem.target(o.temperature).covariance;
  const Index d = s.rows();
  const bool anchored = o.oracle == Oracle::svrg, plain = o.oracle == Oracle::full || o.oracle == Oracle::minibatch;
  const int k = o.up == Compressor::identity ? static_cast<int>(d) : o.k;
  const double omega = o.up == Compressor::rand_k ? static_cast<double>(d) / k - 1 : 0;
  const bool memory = o.memory.has_value();
  Inputs in;
  in.sums.hessian = problem.prior_curvature();
  MatrixXd participation = MatrixXd::Zero(d, d), minibatch = participation, compression = participation;
  MatrixXd remembered = participation, sum_curvature = participation;
  VectorXd sum = VectorXd::Zero(d);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const AtMode& c = clients[i];
    const MatrixXd spread = c.curvature * s * c.curvature, square = c.gradient * c.gradient.transpose();
    const MatrixXd rows = plain ? MatrixXd(c.noise_at_mode() + c.noise_around(s)) : c.noise_around(s);
    const MatrixXd whole = plain || (anchored && !memory) ? MatrixXd(square + spread) : spread;
    in.sums.hessian += c.curvature;
    participation += presence.own[i] * whole;
    minibatch += presence.square(i) * rows;
    compression += presence.square(i) * rand_k(memory ? whole : MatrixXd(whole + rows), k);
    if (memory)
      remembered += (presence.own[i] + presence.common) * weight_of_memory(o, omega) * rows +
                    presence.square(i) * (1 + weight_of_memory(o, omega)) * rand_k(rows, k);
    sum += c.gradient;
    sum_curvature += c.curvature;
  }
  if (presence.common != 0) {
    participation += presence.common * sum_curvature * s * sum_curvature;
    if (plain || (anchored && !memory)) participation += presence.common * sum * sum.transpose();
  }
  in.sums.noise = {{Cause::participation, participation, false, memory},
                   {Cause::minibatch, minibatch, anchored, false},
                   {Cause::compression, compression, false, memory},
                   {Cause::compression, remembered, anchored, false}};
  in.dynamics = {.temperature = o.temperature,
                 .anchor_rounds = anchored ? static_cast<double>(o.refresh) : 0.0,
                 .memory_rate = o.memory.value_or(0.0),
                 .presence = o.participation == Who::full ? 1 : 0.5,
                 .omega = omega};
  return in;
}

// The largest error of the forecast's variances in posterior variances, averaged over the phases of a cycle.
double error_at(const QuadraticProblem& problem, GradientLawOptions o, const Inputs& in, double step, double* effect) {
  o.step = step;
  const stats::Law target = problem.target(o.temperature);
  MatrixXd covariance = MatrixXd::Zero(target.mean.size(), target.mean.size());
  const auto laws = stats::gradient_family_law(problem, o);
  for (const stats::Law& law : laws) covariance += law.covariance / static_cast<double>(laws.size());
  const VectorXd exact = covariance.diagonal().cwiseQuotient(target.covariance.diagonal());
  const VectorXd forecast = Forecaster(in.sums, in.dynamics).at(step).ratio.cwiseAbs2();
  *effect = (exact.array() - 1).abs().maxCoeff();
  return (exact - forecast).cwiseAbs().maxCoeff();
}

void expect_second_order(const QuadraticProblem& problem, const GradientLawOptions& o, const char* name) {
  SCOPED_TRACE(name);
  const Inputs in = inputs_of(problem, o);
  const double step = 0.04 * Forecaster(in.sums, in.dynamics).stable();
  double effect = 0, half_effect = 0;
  const double error = error_at(problem, o, in, step, &effect);
  const double half = error_at(problem, o, in, step / 2, &half_effect);
  EXPECT_LT(error, 0.25 * effect + 1e-9) << "effect " << effect;
  EXPECT_LT(half, 0.35 * error + 1e-9) << "at half the step";
}

GradientLawOptions options(Oracle oracle, Who who, Compressor up) {
  GradientLawOptions o;
  o.oracle = oracle;
  o.batch = oracle == Oracle::full ? 0 : 2;
  o.participation = who;
  o.probability = {0.5, 0.5, 0.5};
  o.size = 2;
  o.up = up;
  return o;
}

TEST(Forecast, FirstOrderOfEveryOracleParticipationAndCode) {
  const QuadraticProblem problem = stats::regression_problem();
  const std::pair<Who, const char*> policies[] = {{Who::full, "full"},
                                                  {Who::bernoulli_inverse, "inverse"},
                                                  {Who::bernoulli_active, "active"},
                                                  {Who::fixed_size, "fixed size"},
                                                  {Who::fixed_size_replacement, "with replacement"}};
  const std::pair<Oracle, const char*> oracles[] = {
      {Oracle::full, "full "}, {Oracle::minibatch, "minibatch "}, {Oracle::fixed_point, "fixed point "}};
  for (const auto& [oracle, oracle_name] : oracles)
    for (const auto& [who, name] : policies)
      for (const Compressor up : {Compressor::identity, Compressor::rand_k}) {
        GradientLawOptions o = options(oracle, who, up);
        o.anchor = problem.target().mean;
        expect_second_order(problem, o,
                            (oracle_name + std::string(name) + (up == Compressor::rand_k ? " rand-k" : "")).c_str());
      }
}

TEST(Forecast, AnchorsAndMemories) {
  const QuadraticProblem problem = stats::regression_problem();
  for (const Compressor up : {Compressor::identity, Compressor::rand_k})
    for (const Oracle oracle : {Oracle::full, Oracle::minibatch, Oracle::svrg}) {
      GradientLawOptions o = options(oracle, Who::full, up);
      o.memory = up == Compressor::identity ? 1.0 : 0.5;
      o.refresh = 3;
      expect_second_order(problem, o, oracle == Oracle::svrg ? "++" : "memory");
    }
}

TEST(Forecast, TemperedTargets) {
  const QuadraticProblem problem = stats::regression_problem();
  GradientLawOptions o = options(Oracle::minibatch, Who::bernoulli_inverse, Compressor::rand_k);
  o.temperature = 0.2;
  expect_second_order(problem, o, "T = 0.2");
}

// Without noise in the gradient the forecast is the exact law: variance T/(λ(1 - γλ/2)).
TEST(Forecast, FullGradientsAreExact) {
  const QuadraticProblem problem = stats::regression_problem();
  const GradientLawOptions o = options(Oracle::full, Who::full, Compressor::identity);
  const Inputs in = inputs_of(problem, o);
  double effect = 0;
  EXPECT_LT(error_at(problem, o, in, 0.5 * Forecaster(in.sums, in.dynamics).stable(), &effect), 1e-10);
  EXPECT_GT(effect, 0.1);
}

// Error feedback: scaled rand-k halves what is sent, so that what is known lags by (1-α)/α = 1 round on each way.
TEST(Forecast, ErrorFeedback) {
  const QuadraticProblem problem = stats::regression_problem();
  for (const auto& [up, down] : {std::pair{true, false}, {false, true}, {true, true}}) {
    GradientLawOptions o = options(Oracle::full, Who::full, Compressor::identity);
    if (up) o.up = Compressor::scaled_rand_k, o.error_feedback = true;
    if (down) o.down = Compressor::scaled_rand_k, o.down_feedback = true;
    Inputs in = inputs_of(problem, options(Oracle::full, Who::full, Compressor::identity));
    in.sums.delayed = ((up ? 1 : 0) + (down ? 1 : 0)) * (in.sums.hessian - problem.prior_curvature());
    const double step = 0.04 * Forecaster(in.sums, in.dynamics).stable();
    double effect = 0;
    const double error = error_at(problem, o, in, step, &effect), half = error_at(problem, o, in, step / 2, &effect);
    EXPECT_LT(error, 0.25 * effect);
    EXPECT_LT(half, 0.35 * error);
  }
}

// In other coordinates the same draws are described, so that the forecast of θ is the same.
TEST(Forecast, MapsFromPsiToTheta) {
  const QuadraticProblem problem = stats::regression_problem();
  const GradientLawOptions o = options(Oracle::minibatch, Who::full, Compressor::identity);
  const Inputs plain = inputs_of(problem, o);
  const MatrixXd turn = (MatrixXd(2, 2) << 0.6, -0.8, 0.8, 0.6).finished();  // a rotation keeps Langevin noise
  Inputs turned = plain;
  turned.sums.to_theta = turn;
  turned.sums.hessian = turn.transpose() * plain.sums.hessian * turn;
  for (NoisePart& part : turned.sums.noise) part.covariance = turn.transpose() * part.covariance * turn;
  const Forecast a = Forecaster(plain.sums, plain.dynamics).at(0.05),
                 b = Forecaster(turned.sums, turned.dynamics).at(0.05);
  EXPECT_LT((a.ratio - b.ratio).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((a.tau - b.tau).cwiseAbs().maxCoeff(), 1e-8);
}

// AR(1) with coefficient 1 - γλ has the autocorrelation time (2 - γλ)/(γλ).
TEST(Forecast, AutocorrelationTime) {
  GaussianSums sums;
  sums.hessian = VectorXd::Constant(1, 4).asDiagonal();
  EXPECT_NEAR(Forecaster(sums, {}).at(0.05).tau(0), 9, 1e-12);
  EXPECT_NEAR(Forecaster(sums, {.stride = 2}).at(0.05).tau(0), 2 * (1 + 0.64) / (1 - 0.64), 1e-12);
  EXPECT_NEAR(Forecaster(sums, {}).at(0.05).ess(900, 4), 400, 1e-9);
}

TEST(Forecast, AChainThatDivergesHasInfiniteSds) {
  GaussianSums sums;
  sums.hessian = VectorXd::Constant(1, 4).asDiagonal();
  EXPECT_TRUE(std::isinf(Forecaster(sums, {}).at(0.51).ratio(0)));
  EXPECT_FALSE(within(Forecaster(sums, {}).at(0.51)));
}

TEST(Forecast, FlatDirectionsHaveNone) {
  GaussianSums sums;
  sums.hessian = (VectorXd(2) << 1, 0).finished().asDiagonal();
  EXPECT_THROW(Forecaster(sums, {}), std::domain_error);
}

TEST(StepSearch, TakesTheLargestStepWithinTheTolerances) {
  GaussianSums sums;
  sums.hessian = MatrixXd::Identity(1, 1);
  const Forecaster forecaster(sums, {});
  const StepChoice choice = choose_step(forecaster, {.iterations = 20000, .chains = 4});
  ASSERT_TRUE(choice.good);
  // 1/sqrt(1 - γ/2) = 1.03
  EXPECT_NEAR(choice.step, 2 * (1 - 1 / (1.03 * 1.03)), 0.02 * choice.step);
  EXPECT_FALSE(choose_step(forecaster, {.iterations = 200, .chains = 1}).good) << "too few effective draws";
}

// The noise of who takes part is that of a whole round already, so that the bound on the step counts it once.
TEST(StepSearch, TakesTheLargestStepOfLocalStepsToo) {
  GaussianSums sums;
  sums.hessian = MatrixXd::Identity(1, 1);
  sums.noise = {{Cause::participation, 40 * MatrixXd::Identity(1, 1)}};
  const Forecaster forecaster(sums, {.mean_steps = 10, .further_steps = 4.5, .stride = 10});
  const StepChoice choice = choose_step(forecaster, {.iterations = 1e6, .chains = 4});
  ASSERT_TRUE(choice.good);
  EXPECT_NEAR(forecaster.at(choice.step).ratio(0), 1.03, 1e-3);
}

TEST(StepSearch, NamesWhatIsInTheWay) {
  GaussianSums sums;
  sums.hessian = MatrixXd::Identity(2, 2);
  sums.noise = {{Cause::participation, 2000 * MatrixXd::Identity(2, 2)}, {Cause::minibatch, MatrixXd::Identity(2, 2)}};
  const StepChoice choice = choose_step(Forecaster(sums, {}), {.iterations = 20000, .chains = 4});
  EXPECT_FALSE(choice.good);
  EXPECT_EQ(choice.why, Cause::participation);
  EXPECT_GT(choice.within, 0);
  EXPECT_GT(choice.step, choice.within);
  sums.noise.clear();
  sums.drift = VectorXd::Constant(2, 1e4);
  const StepChoice biased = choose_step(Forecaster(sums, {.further_steps = 4}), {.iterations = 20000, .chains = 4});
  EXPECT_EQ(biased.why, Cause::local_steps);
}

}  // namespace
}  // namespace pollen::plan
