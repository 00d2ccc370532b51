// Tests hmc with latents that stay with their clients: its law against closed forms and against nuts on the same
// posterior in one piece, and its states between two leapfrog steps.
#include "exact/joint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "exact/joint_runs.h"
#include "exact/posterior.h"
#include "laws/moments.h"

namespace pollen::exact {
namespace {

using laws::distance;
using laws::Moments;
using testing::carry_over;
using testing::JointRun;
using testing::make_mixed_tables;
using testing::MixedTables;
using testing::PooledJoint;
using Shape = NormalPopulation::Shape;

constexpr double kErrors = 5;  // accepted standard errors, with 16 chains: a false alarm in about 1,000 numbers each

struct Mixed {
  std::unique_ptr<MixedTables> tables;
  std::unique_ptr<Population> population;
  JointSetup setup;
};

Mixed make_mixed_problem(MixedKind kind, Index clients, const NormalPopulation& how, std::optional<double> noise,
                         Index chains, Index fixed = 2, Index latent = 2) {
  Mixed p;
  p.tables = make_mixed_tables(kind, clients, fixed, latent, noise);
  p.population = make_normal_population(how, latent);
  p.setup.problem.clients = PersonalClients(p.tables->pointers());
  p.setup.problem.population = p.population.get();
  p.setup.problem.chains = chains;
  p.setup.problem.seed = 31;
  const auto d = static_cast<std::size_t>(p.setup.problem.dimension());
  const auto k = static_cast<std::size_t>(p.setup.problem.shared());
  p.setup.prior.normal = Prior::normal(std::vector<double>(d, 1.5));
  p.setup.prior.normal.mean.assign(d, 0.25);
  p.setup.prior.half_normal.assign(d, 0.0);
  const auto means = how.mean == Shape::vector ? static_cast<std::size_t>(latent) : how.mean == Shape::scalar ? 1U : 0U;
  for (std::size_t j = k + means; j < d; ++j) {
    p.setup.prior.normal.precision[j] = 0;
    p.setup.prior.half_normal[j] = 0.9;
  }
  return p;
}

Panel zeros(const JointSetup& setup) { return {setup.problem.dimension(), setup.problem.chains}; }

// Moments of what `of` makes of (φ, β) and the latents of all clients, after the warm-up.
template <class Of>
laws::Estimate run_joint(const JointSetup& setup, int iterations, const Eigen::VectorXd& centre, const Of& of,
                         const Panel& start) {
  JointRun run(setup);
  run.engine().start(start);
  Moments moments(centre);
  const Index each = setup.problem.population->latent();
  const auto warm_up = setup.settings.warm_up;
  std::vector<double> all;
  while (run.engine().iteration() < warm_up + iterations) {
    run.iterate();
    if (run.engine().iteration() <= warm_up) continue;
    const ConstPanelView z = run.latents();
    for (Index c = 0; c < setup.problem.chains; ++c) {
      const auto theta = run.engine().position().column(c);
      all.assign(theta.begin(), theta.end());
      for (Index i = 0; i < z.columns; ++i) {
        const auto own = z.column(i).subspan(static_cast<std::size_t>(c * each), static_cast<std::size_t>(each));
        all.insert(all.end(), own.begin(), own.end());
      }
      moments.add(c, of(std::span<const double>(all)));
    }
  }
  return moments.estimate();
}

// The same by nuts on the posterior in one piece.
template <class Of>
laws::Estimate run_pooled(const JointSetup& setup, int iterations, const Eigen::VectorXd& centre, const Of& of,
                          const Panel& start, bool placed) {
  const PooledJoint pooled(setup, placed);
  const Prior flat = Prior::flat();
  const Setup engine_setup{
      .dimension = pooled.dimension(), .chains = setup.problem.chains, .seed = 77, .settings = {.warm_up = 500}};
  const auto engine = make_engine(
      engine_setup, std::make_unique<HeldPosterior>(std::vector<const Potential*>{&pooled}, PriorPart{&flat}, 1.0));
  Panel whole(pooled.dimension(), setup.problem.chains);
  for (Index c = 0; c < whole.columns(); ++c) {
    normals(make_stream(5, static_cast<std::uint32_t>(c), Purpose::init), whole.column(c));
    std::ranges::copy(start.column(c), whole.column(c).begin());
  }
  engine->start(whole);
  Moments moments(centre);
  while (engine->iteration() < 500 + iterations) {
    engine->advance(1);
    for (Index c = 0; engine->iteration() > 500 && c < whole.columns(); ++c)
      moments.add(c, of(std::span<const double>(pooled.state(engine->position().column(c)))));
  }
  return moments.estimate();
}

const auto everything = [](std::span<const double> all) {
  return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(all.data(), std::ssize(all)));
};

// With known sds the joint posterior is normal: its precision is that of prior, population and rows added up.
stats::Law closed_form(const Mixed& p, double noise, double spread) {
  const PersonalProblem& problem = p.setup.problem;
  const auto k = static_cast<Eigen::Index>(problem.shared()), d = static_cast<Eigen::Index>(problem.dimension());
  const auto each = static_cast<Eigen::Index>(problem.population->latent());
  const Eigen::Index n = d + each * static_cast<Eigen::Index>(problem.clients.size());
  Eigen::MatrixXd precision = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd linear = Eigen::VectorXd::Zero(n);
  for (Eigen::Index j = 0; j < d; ++j) {
    precision(j, j) += 1 / (1.5 * 1.5);
    linear[j] += 0.25 / (1.5 * 1.5);
  }
  for (std::size_t i = 0; i < problem.clients.size(); ++i) {
    const MixedRows rows = p.tables->rows(i);
    const Eigen::Index first = d + each * static_cast<Eigen::Index>(i);
    for (Eigen::Index j = 0; j < each; ++j) {
      Eigen::VectorXd from = Eigen::VectorXd::Zero(n);
      from[first + j] = 1;
      from[k + j] = -1;
      precision += from * from.transpose() / (spread * spread);
    }
    for (Index r = 0; r < rows.random.rows; ++r) {
      Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
      for (Eigen::Index j = 0; j < k; ++j) x[j] = rows.fixed.row(r)[j];
      for (Eigen::Index j = 0; j < each; ++j) x[first + j] = rows.random.row(r)[j];
      precision += x * x.transpose() / (noise * noise);
      linear += x * rows.y[r] / (noise * noise);
    }
  }
  stats::Law law;
  law.covariance = precision.inverse();
  law.mean = law.covariance * linear;
  return law;
}

class KnownSds : public ::testing::TestWithParam<Centring> {};

TEST_P(KnownSds, TheLawIsTheClosedForm) {
  Mixed p = make_mixed_problem(MixedKind::gaussian, 5, {.spread = Shape::fixed, .sd_start = {0.6}}, 0.7, 16);
  p.setup.settings.warm_up = 300;
  p.setup.centring = GetParam();
  const stats::Law law = closed_form(p, 0.7, 0.6);
  const auto found = run_joint(p.setup, 1500, law.mean, everything, zeros(p.setup));
  EXPECT_LT(distance(found, law), kErrors);
  stats::Law wrong = law;  // the test can fail
  wrong.covariance *= 1.15;
  EXPECT_GT(distance(found, wrong), kErrors);
}

INSTANTIATE_TEST_SUITE_P(, KnownSds, ::testing::Values(Centring::automatic, Centring::always, Centring::never));

struct Posed {
  const char* name;
  MixedKind kind;
  Centring centring;
  bool placed;  // whether nuts moves in the latents' places in the population
};

class LearntSds : public ::testing::TestWithParam<Posed> {};

// What is compared does not depend on how Φ and z are turned against each other.
Eigen::VectorXd invariants(const JointSetup& setup, std::span<const double> all, bool turns) {
  const auto d = static_cast<std::size_t>(setup.problem.dimension());
  if (!turns) {
    Eigen::VectorXd out = everything(all.first(d + 2));
    for (std::size_t j = d - 2; j < d; ++j) out[static_cast<Eigen::Index>(j)] = std::exp(all[j]);  // σ_z
    return out;
  }
  const auto each = static_cast<std::size_t>(setup.problem.population->latent());
  const std::size_t columns = (static_cast<std::size_t>(setup.problem.shared()) - 1) / each;
  Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(columns + 1));
  out[0] = all[columns * each];  // log σ
  for (std::size_t j = 0; j < each; ++j)
    for (std::size_t r = 0; r < columns; ++r)
      out[static_cast<Eigen::Index>(r + 1)] += all[j * columns + r] * all[d + j];  // Φz of the first client
  return out;
}

TEST_P(LearntSds, TheLawIsThatOfNutsOnThePosteriorInOnePiece) {
  const Posed& one = GetParam();
  const bool turns = one.kind == MixedKind::linear;
  Mixed p = make_mixed_problem(one.kind, 8, {.spread = turns ? Shape::scalar : Shape::vector}, std::nullopt, 16,
                               turns ? 3 : 2);
  p.setup.settings.warm_up = 500;
  p.setup.centring = one.centring;
  Panel start = zeros(p.setup);
  for (Index c = 0; c < start.columns(); ++c)
    normals(make_stream(9, static_cast<std::uint32_t>(c), Purpose::init), start.column(c));
  const auto of = [&](std::span<const double> all) { return invariants(p.setup, all, turns); };
  std::vector<double> some(static_cast<std::size_t>(PooledJoint(p.setup).dimension()), 0.0);
  const Eigen::VectorXd centre = of(some);
  const auto joint = run_joint(p.setup, 1000, centre, of, start);
  const auto pooled = run_pooled(p.setup, 1000, centre, of, start, one.placed);
  EXPECT_LT(distance(joint, pooled), kErrors);
}

INSTANTIATE_TEST_SUITE_P(, LearntSds,
                         ::testing::Values(Posed{"gaussian", MixedKind::gaussian, Centring::automatic, true},
                                           Posed{"gaussian_centred", MixedKind::gaussian, Centring::always, false},
                                           Posed{"logistic", MixedKind::logistic, Centring::automatic, true},
                                           Posed{"linear", MixedKind::linear, Centring::automatic, false}),
                         [](const auto& one) { return std::string(one.param.name); });

// A client without rows, whose latent follows the population.
class NoRows final : public PersonalPotential {
 public:
  Index latent() const override { return 1; }
  Index shared() const override { return 0; }
  Index rows() const override { return 0; }
  double gradient(std::span<const double>, std::span<const double>, std::span<double> by_latent, std::span<double>,
                  Scratch&) const override {
    std::ranges::fill(by_latent, 0.0);
    return 0;
  }
  double latent_curvature(std::span<const double>, Scratch&) const override { return 0; }
  double shared_curvature(std::span<const double>, std::span<const double>) const override { return 0; }
};

// Without rows μ and σ_z have the law of their prior, N(m, s²) and half-normal, whatever the coordinates are.
TEST(Joint, WithoutRowsTheLawIsThePrior) {
  for (const Centring centring : {Centring::automatic, Centring::never}) {
    const NoRows nothing;
    const auto population = make_normal_population({.spread = Shape::vector}, 1);
    JointSetup setup;
    setup.problem.clients = PersonalClients({&nothing, &nothing});
    setup.problem.population = population.get();
    setup.problem.chains = 16;
    setup.prior.normal = {{4, 0}, {}, {}, 0, {3, 0}};
    setup.prior.half_normal = {0, 2};
    setup.settings.warm_up = 500;
    setup.centring = centring;
    const auto of = [](std::span<const double> all) {
      const double sd = std::exp(all[1]);
      return Eigen::VectorXd(Eigen::Vector3d(all[0], sd, (all[2] - all[0]) / sd));
    };
    stats::Law law;
    const double mean = 2 * std::sqrt(2 / std::numbers::pi);
    law.mean = Eigen::Vector3d(3, mean, 0);
    law.covariance = Eigen::Vector3d(0.25, 4 - mean * mean, 1).asDiagonal();
    EXPECT_LT(distance(run_joint(setup, 4000, law.mean, of, Panel(2, 16)), law), kErrors);
  }
}

// A run that is saved and loaded after every exchange has the same draws, and so has one with more threads.
TEST(Joint, StatesBetweenStepsAreWhole) {
  Mixed p = make_mixed_problem(MixedKind::logistic, 6, {.spread = Shape::vector}, std::nullopt, 3);
  p.setup.settings.warm_up = 40;
  p.setup.last = 60;
  const Panel start = zeros(p.setup);
  JointRun whole(p.setup), threads(p.setup, 3);
  auto pieces = std::make_unique<JointRun>(p.setup);
  for (JointRun* run : {&whole, &threads, pieces.get()}) run->engine().start(start);
  std::int64_t exchanges = 0;
  while (whole.engine().iteration() < 60) {
    whole.engine().advance(1);
    threads.engine().advance(1);
    pieces->engine().advance(1);
    auto next = std::make_unique<JointRun>(p.setup);
    carry_over(pieces->engine(), next->engine());
    pieces = std::move(next);
    ++exchanges;
    ASSERT_EQ(whole.engine().emits(), pieces->engine().emits());
  }
  for (JointRun* run : {&threads, pieces.get()}) {
    EXPECT_TRUE(
        std::ranges::equal(copy_of(run->engine().position()).flat(), copy_of(whole.engine().position()).flat()));
    EXPECT_TRUE(std::ranges::equal(copy_of(run->latents()).flat(), copy_of(whole.latents()).flat()));
  }
  std::int64_t leapfrogs = 0;
  EXPECT_EQ(whole.engine().counters().rounds, exchanges);
  for (const Transition& t : whole.engine().transitions()) leapfrogs = t.leapfrogs;
  EXPECT_GT(leapfrogs, 0);
}

// The clients' latents after the settling broadcast are those that the server's position implied before it.
TEST(Joint, TheLastOutcomeIsToldBeforeTheRunEnds) {
  Mixed p = make_mixed_problem(MixedKind::gaussian, 4, {.spread = Shape::vector}, 0.7, 2);
  p.setup.settings.warm_up = 30;
  p.setup.last = 40;
  JointRun told(p.setup);
  p.setup.last = 1000;
  JointRun open(p.setup);
  for (JointRun* run : {&told, &open}) {
    run->engine().start(zeros(p.setup));
    while (run->engine().iteration() < 40) run->iterate();
  }
  EXPECT_EQ(told.engine().counters().rounds, open.engine().counters().rounds + 1);
  EXPECT_TRUE(std::ranges::equal(copy_of(told.latents()).flat(), copy_of(open.latents()).flat()));
}

}  // namespace
}  // namespace pollen::exact
