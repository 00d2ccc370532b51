// FedAvg, SCAFFOLD and FedPA: where their iterates go.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "pollen/errors.h"
#include "reference/distill.h"
#include "reference/shrinkage.h"
#include "support.h"

namespace pollen::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd column(const Engine& engine, Index c = 0) {
  return Eigen::Map<const VectorXd>(engine.position().column(c).data(), engine.position().rows);
}

VectorXd gradient_at(const Federated& on, const VectorXd& theta) {
  Scratch scratch;
  VectorXd sum = VectorXd::Zero(theta.size()), part = sum;
  const Index d = theta.size();
  for (const auto& potential : on.potentials) {
    potential->gradient({theta.data(), d, 1, d}, {part.data(), d, 1, d}, scratch);
    sum += part;
  }
  on.prior.add_gradient({theta.data(), static_cast<std::size_t>(d)}, 1.0, {sum.data(), static_cast<std::size_t>(d)});
  return sum;
}

VectorXd limit(const char* name, const Federated& on, const ReferenceSettings& settings, int rounds) {
  const ReferenceProblem problem = on.problem(2);
  const auto engine = started(name, problem, settings);
  for (int k = 0; k < rounds; ++k) engine->advance(1);
  return column(*engine);
}

TEST(FedAvg, WithOneLocalStepIsGradientDescent) {
  for (const Federated& on : {matrices(), regression(), logistic()}) {
    const double step = 0.05;
    VectorXd theta = VectorXd::Constant(on.dimension, 0.3);
    const ReferenceProblem problem = on.problem(2);
    const auto engine = started("fedavg", problem, {.step = step, .local_steps = 1}, 0.3);
    for (int k = 0; k < 50; ++k) {
      theta -= step * gradient_at(on, theta);
      engine->advance(1);
      EXPECT_LT((column(*engine) - theta).norm(), 1e-12 * (1 + theta.norm()));
    }
  }
}

// Clients that disagree pull local steps apart, so FedAvg's limit is not the mode, but SCAFFOLD's is.
TEST(Scaffold, FindsTheModeWhereFedAvgDoesNot) {
  for (const Federated& on : {matrices(), regression(), logistic()}) {
    const ReferenceSettings settings{.step = 0.02, .local_steps = 20};
    const VectorXd average = limit("fedavg", on, settings, 2000), controlled = limit("scaffold", on, settings, 2000);
    EXPECT_GT(gradient_at(on, average).norm(), 0.1);
    EXPECT_LT(gradient_at(on, controlled).norm(), 1e-8);
    if (!on.exact.clients.empty()) {
      EXPECT_LT((controlled - target_of(on).mean).norm(), 1e-8);
    }
  }
}

// Returns where client i ends after `steps` local steps from θ.
VectorXd descended(const Federated& on, std::size_t i, double weight, VectorXd theta, double step, int steps) {
  Scratch scratch;
  const Index d = theta.size();
  VectorXd g = theta;
  for (int k = 0; k < steps; ++k) {
    on.potentials[i]->gradient({theta.data(), d, 1, d}, {g.data(), d, 1, d}, scratch);
    on.prior.add_gradient({theta.data(), static_cast<std::size_t>(d)}, weight, {g.data(), static_cast<std::size_t>(d)});
    theta -= step / weight * g;
  }
  return theta;
}

// Once FedAvg has converged, draws have the mean and the variances of the clients' models, or are mixtures of them.
TEST(FedBe, DrawsFromALawOverClientsModels) {
  for (const Federated& on : {regression(), logistic()}) {
    const double step = 0.02;
    const int steps = 20;
    const VectorXd center = limit("fedavg", on, {.step = step, .local_steps = steps}, 2000);
    Index rows = 0;
    for (const auto& potential : on.potentials) rows += potential->rows();
    const std::size_t b = on.potentials.size();
    VectorXd variance = VectorXd::Zero(center.size()), plain = variance, spread = variance;
    for (std::size_t i = 0; i < b; ++i) {
      const double weight = static_cast<double>(on.potentials[i]->rows()) / static_cast<double>(rows);
      const VectorXd y = descended(on, i, weight, center, step, steps);
      variance += weight * (y - center).cwiseAbs2();
      plain += y / static_cast<double>(b);
      spread += y.cwiseAbs2() / static_cast<double>(b);
    }
    spread = (spread - plain.cwiseAbs2()) / static_cast<double>(b + 1);  // variance of a uniform mixture
    for (const char* law : {"gaussian", "dirichlet"}) {
      const ReferenceProblem problem = on.problem(50);
      const auto engine = started("fedbe", problem, {.step = step, .local_steps = steps, .server_law = law});
      VectorXd mean = VectorXd::Zero(center.size()), square = mean;
      for (int k = 0; k < 2400; ++k) {
        engine->advance(1);
        for (Index c = 0; c < 50 && k >= 2000; ++c) {
          mean += column(*engine, c) / 20000;
          square += column(*engine, c).cwiseAbs2() / 20000;
        }
      }
      const bool gaussian = std::string(law) == "gaussian";
      const VectorXd expected = gaussian ? center : plain, expected_variance = gaussian ? variance : spread;
      for (Index j = 0; j < mean.size(); ++j) {
        EXPECT_NEAR(mean[j], expected[j], 5 * std::sqrt(expected_variance[j] / 20000)) << law;
        EXPECT_NEAR(square[j] - mean[j] * mean[j], expected_variance[j], 0.05 * expected_variance[j]) << law;
      }
    }
  }
}

// Returns twelve rows of logistic(). Distilling a model's own predictions on them must give that model.
std::shared_ptr<Unlabelled> rows_without_labels(const Federated& on) {
  const ModelSpec spec{
      .family = &model_family("logistic"), .features = 2, .noise_sd = {}, .feature_names = {}, .class_names = {}};
  auto out = std::make_shared<Unlabelled>();
  out->rows = 12;
  out->labels.assign(24, 0.0);
  std::fill(out->labels.begin() + 12, out->labels.end(), 1.0);
  const RowsView x{on.memory[0]->data(), 12, 2, 2};
  for (const std::ptrdiff_t c : {0, 1}) out->labelled.push_back(make_potential(spec, {x, out->labels.data() + 12 * c}));
  out->predict = [spec, x](std::span<const double> theta, std::span<double> to, Scratch& scratch) {
    spec.family->class_probabilities(spec, theta, x, to, scratch);
  };
  return out;
}

TEST(Distillation, LearnsTheModelItIsShown) {
  const Federated on = logistic();
  Chains chains(on.problem(1));
  Distillation teacher(rows_without_labels(on), {.distill_steps = 40000, .distill_rate = 0.2});
  const std::vector<double> shown = {0.8, -0.5};
  teacher.clear();
  teacher.add(shown, chains);
  std::vector<double> theta = {-1, 1};
  teacher.teach(theta, chains.stream(0, Purpose::distillation), chains);
  // With 20,000 steps of 12 labels the standard errors of the coefficients are about 1/√(240,000 · 0.1) = 0.007.
  EXPECT_NEAR(theta[0], 0.8, 0.03);
  EXPECT_NEAR(theta[1], -0.5, 0.03);
  EXPECT_EQ(chains.counters.gradients, 40000 * 12);
}

// The model learns the mean of two models' probabilities: on each row its own are near the average, not near either.
TEST(Distillation, LearnsTheAverageOfAnEnsemble) {
  const Federated on = logistic();
  const auto rows = rows_without_labels(on);
  Chains chains(on.problem(1));
  Distillation teacher(rows, {.distill_steps = 40000, .distill_rate = 0.2});
  teacher.clear();
  const std::vector<double> one = {2, 0}, two = {0, 2};
  teacher.add(one, chains);
  teacher.add(two, chains);
  std::vector<double> theta = {0, 0}, p(24), q(24), r(24);
  teacher.teach(theta, chains.stream(0, Purpose::distillation), chains);
  rows->predict(one, p, chains.work.scratch);
  rows->predict(two, q, chains.work.scratch);
  rows->predict(theta, r, chains.work.scratch);
  // At the minimum of the cross-entropy, Σ x (r - average) = 0.
  for (std::size_t j = 0; j < 2; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < 12; ++i)
      sum += (*on.memory[0])[2 * i + j] * (r[2 * i + 1] - (p[2 * i + 1] + q[2 * i + 1]) / 2);
    EXPECT_NEAR(sum, 0, 0.06) << j;
  }
}

TEST(FedBe, DistilsIntoTheNextRoundsModel) {
  const Federated on = logistic();
  for (const char* law : {"gaussian", "dirichlet"}) {
    ReferenceProblem problem = on.problem(2);
    ReferenceSettings settings{.step = 0.02, .local_steps = 3, .samples = 4, .server_law = law};
    const auto plain = make_reference("fedbe", problem, settings);
    problem.unlabelled = rows_without_labels(on);
    settings.distill = true;
    const auto taught = make_reference("fedbe", problem, settings);
    for (Engine* engine : {plain.get(), taught.get()}) {
      engine->start(start_at(problem, 0.1));
      engine->advance(1);
    }
    EXPECT_EQ(column(*plain, 1), column(*taught, 1)) << "the first draw is before the first distillation";
    for (Engine* engine : {plain.get(), taught.get()}) engine->advance(1);
    EXPECT_NE(column(*plain, 1), column(*taught, 1));
    EXPECT_LT((column(*plain, 1) - column(*taught, 1)).norm(), 1);
    EXPECT_EQ(plain->counters().uplink_bits, taught->counters().uplink_bits);
  }
  EXPECT_THROW(make_reference("fedbe", on.problem(1), {.step = 0.1, .distill = true}), ConfigError);
}

// Minibatches make the iterates noisy but not biased.
TEST(Scaffold, WithMinibatchesKeepsTheMode) {
  const Federated on = logistic();
  const VectorXd mode = limit("scaffold", on, {.step = 0.02, .local_steps = 5}, 3000);
  VectorXd mean = VectorXd::Zero(2);
  const ReferenceProblem problem = on.problem(64);
  const auto engine =
      make_reference("scaffold", problem, {.step = 0.005, .batch = {.count = 4, .fraction = {}}, .local_steps = 5});
  engine->start(start_at(problem));
  for (int k = 0; k < 1500; ++k) {
    engine->advance(1);
    for (Index c = 0; c < 64 && k >= 500; ++c) mean += column(*engine, c) / 64000;
  }
  EXPECT_LT((mean - mode).norm(), 0.02);
}

TEST(ShrinkageSolver, AgreesWithADenseInverse) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  const auto draw = [&](Eigen::Index n) { return VectorXd::NullaryExpr(n, [&] { return normal(generator); }).eval(); };
  for (const Index count : {1, 2, 3, 9, 30}) {
    for (const double shrinkage : {0.0, 0.01, 1.0, 50.0}) {
      const Index d = 5;
      ShrinkageSolver solver(d, count, shrinkage);
      MatrixXd samples(d, count);
      for (int round = 0; round < 2; ++round) {  // the second time comes after clear()
        solver.clear();
        for (Index k = 0; k < count; ++k) {
          samples.col(k) = 3 * draw(d) + VectorXd::Ones(d);
          solver.add({samples.col(k).data(), 5});
        }
      }
      const VectorXd mean = samples.rowwise().mean(), x = draw(d);
      const MatrixXd centred = samples.colwise() - mean;
      const MatrixXd sample = count > 1 ? MatrixXd(centred * centred.transpose() / static_cast<double>(count - 1))
                                        : MatrixXd(MatrixXd::Zero(d, d));
      const double rho = 1 / (1 + static_cast<double>(count - 1) * shrinkage);
      const MatrixXd covariance = rho * MatrixXd::Identity(d, d) + (1 - rho) * sample;
      const VectorXd expected = covariance.llt().solve(x - mean);
      VectorXd found(d);
      solver.solve({x.data(), 5}, {found.data(), 5});
      EXPECT_LT((found - expected).norm(), 1e-10 * (1 + expected.norm())) << count << " samples, ρ = " << shrinkage;
    }
  }
}

// Returns FedPA's limit for infinitely many samples: Σ Σ_i⁻¹(θ - μ_i) = 0, where Σ_i is the covariance of the local
// Langevin steps, whose inverse is A_i - γA_i²/2. As γ → 0 that is the mode.
VectorXd fedpa_limit(const stats::QuadraticProblem& problem, double step) {
  MatrixXd total = MatrixXd::Zero(3, 3);
  VectorXd pull = VectorXd::Zero(3);
  for (const auto& client : problem.clients) {
    MatrixXd curvature = (problem.prior_precision / 3.0).asDiagonal();
    curvature += client.terms[0].curvature;
    const MatrixXd inverse = curvature - step / 2 * curvature * curvature;
    total += inverse;
    pull += inverse * curvature.llt().solve(client.terms[0].shift);
  }
  return total.llt().solve(pull);
}

TEST(FedPa, ReachesTheModeAsSamplesGrow) {
  const Federated on = matrices();
  const VectorXd mode = target_of(on).mean, end = fedpa_limit(on.exact, 0.05);
  EXPECT_LT((fedpa_limit(on.exact, 1e-6) - mode).norm(), 1e-5);
  double last = (limit("fedavg", on, {.step = 0.05, .local_steps = 10}, 1000) - mode).norm();
  EXPECT_GT(last, 4 * (end - mode).norm()) << "local steps alone are near enough";
  const Index chains = 16;
  const int rounds = 20;
  for (const Index samples : {10, 40, 160}) {
    const ReferenceProblem problem = on.problem(chains);
    ReferenceSettings settings{.step = 0.05, .local_steps = 10, .server_step = 0.1};
    settings.samples = samples;
    settings.local_burn_in = 100;
    settings.shrinkage = 5;
    const auto engine = started("fedpa", problem, settings);
    VectorXd mean = VectorXd::Zero(3);
    for (int k = 0; k < 2 * rounds; ++k) {
      engine->advance(1);
      for (Index c = 0; c < chains && k >= rounds; ++c)
        mean += column(*engine, c) / static_cast<double>(chains * rounds);
    }
    EXPECT_LT((mean - end).norm(), 0.6 * last) << samples << " samples";
    last = (mean - end).norm();
    RecordProperty("distance_" + std::to_string(samples), std::to_string(last));
  }
  EXPECT_LT(last, 0.05);
}

}  // namespace
}  // namespace pollen::reference
