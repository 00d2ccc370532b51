// Compares a plan's constants with exactly known values.
#include "run/planning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "support/problems.h"

namespace pollen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const char* const kTwo = R"(
[model]
kind = "gaussian"
prior = "flat"
[[client]]
mean = [1.0, 0.0]
precision = [[2.0, 0.0], [0.0, 1.0]]
[[client]]
mean = [-1.0, 4.0]
precision = [[2.0, 0.0], [0.0, 3.0]]
[sampler]
name = "lsd"
step = 0.01
)";

PlanReport report(const std::string& text, const Overrides& overrides = {}, const PlanRequest& request = {}) {
  Experiment experiment(read_config_text(text, "test.toml", overrides));
  return make_report(experiment, request);
}

TEST(Planning, ConstantsOfAGaussianAreExact) {
  const plan::Plan plan = report(kTwo).plan;  // mode (0, 3), Hessian diag(4, 4)
  EXPECT_NEAR(plan.constants.smoothness, 4, 1e-9);
  EXPECT_NEAR(plan.constants.convexity, 4, 1e-9);
  EXPECT_NEAR(plan.constants.start, 9, 1e-5);
  ASSERT_EQ(plan.constants.clients.size(), 2u);
  EXPECT_NEAR(plan.constants.clients[0].smoothness, 2, 1e-9);
  EXPECT_NEAR(plan.constants.clients[1].smoothness, 3, 1e-9);
  EXPECT_NEAR(plan.constants.clients[1].row_smoothness, 3, 1e-6);
  EXPECT_NEAR(plan.constants.clients[0].gradient, 4 + 9, 1e-4);
  EXPECT_EQ(plan.theorem, plan::Theorem::qlsd);
  EXPECT_EQ(plan.constants.clients[0].variance, 0);
}

TEST(Planning, MinibatchVarianceIsThatOfTheRows) {
  const plan::Plan plan =
      report(R"(
[model]
kind = "gaussian"
prior = "flat"
[[client]]
data = [[1.0], [3.0]]
[[client]]
data = [[0.0], [0.0], [4.0]]
[sampler]
name = "sgld"
batch = 1
step = 0.001
)")
          // The mode is 8/5. One of two rows gives 2 g_j, with variance ((2·0.6-(-0.8))² + (2·(-1.4)+0.8)²)/2 = 4.
          .plan;
  EXPECT_NEAR(plan.constants.clients[0].variance, 4, 1e-4);
  EXPECT_NEAR(plan.constants.clients[0].row_smoothness, 1, 1e-12);
  EXPECT_NEAR(plan.constants.smoothness, 5, 1e-9);
}

TEST(Planning, LogisticTakesThePriorForConvexityAndSaysSo) {
  const PlanReport r = report(testing::kLogistic);
  Experiment experiment(read_config_text(testing::kLogistic, "test.toml"));
  experiment.prepare();
  EXPECT_NEAR(r.plan.constants.smoothness, experiment.smoothness(), 1e-3 * experiment.smoothness());
  EXPECT_DOUBLE_EQ(r.plan.constants.convexity, experiment.questions().prior().precision[0]);
  EXPECT_THAT(r.notes, Contains(HasSubstr("the prior's smallest precision")));
  for (const auto& client : r.plan.constants.clients) {
    EXPECT_GT(client.row_smoothness, 0);
    EXPECT_LE(client.smoothness, client.rows * client.row_smoothness * (1 + 1e-9));
  }
}

// Nothing says that a program's own potentials are convex, so that their plan has no m, even with a prior.
TEST(Planning, NoConvexityIsClaimedOfAProgramsOwnPotentials) {
  const Posterior own{{make_gaussian({1.0}, {2.0}), make_gaussian({0.0}, {1.0})}, Prior::normal({1.0})};
  Experiment experiment(read_config_text("[sampler]\nname = \"lsd\"\nstep = 0.01", "test.toml"), {.posterior = own});
  const PlanReport r = make_report(experiment, {});
  EXPECT_NEAR(r.plan.constants.smoothness, 4, 1e-9);
  EXPECT_EQ(r.plan.constants.convexity, 0);
  for (const auto& client : r.plan.constants.clients) EXPECT_EQ(client.convexity, 0);
  EXPECT_THAT(r.notes, Contains(HasSubstr("m: none, nothing is known of the program's own potentials")));
}

// Starts are compared with the mode in the same units, and random starts with their spread.
TEST(Planning, TheStartIsWhereARunStarts) {
  EXPECT_NEAR(report(kTwo, {"run.init=prior", "model.prior=normal"}).plan.constants.start, 2 + 9 * 0.64, 1e-4);
  const Overrides plain = {"sampler.name=lsd", "sampler.step=1e-4", "model.prior_sd=3.0", "run.init=mode"};
  Experiment experiment(read_config_text(testing::kLogistic, "test.toml", plain));
  experiment.prepare();
  const Panel bend = experiment.questions().hessian(experiment.questions().mode(), true);
  Eigen::MatrixXd hessian(bend.rows(), bend.rows());
  for (Index j = 0; j < bend.rows(); ++j) std::ranges::copy(bend.column(j), hessian.col(j).begin());
  std::string mode;
  for (const double x : experiment.mode()) mode += fmt::format("{}{}", mode.empty() ? "[" : ", ", x);
  const auto start = [&](const std::string& init) {
    Overrides keys = plain;
    keys.push_back("run.init=" + init);
    return report(testing::kLogistic, keys).plan.constants.start;
  };
  EXPECT_NEAR(start(mode + "]"), 0, 1e-9);
  EXPECT_TRUE(std::isfinite(start("prior")));
  EXPECT_NEAR(start("auto"), 4 * hessian.inverse().trace(), 1e-3 * start("auto"));
}

TEST(Planning, GivenConstantsAreUsed) {
  const plan::Plan plan =
      report(kTwo, {"sampler.name=fa-ld", "sampler.smoothness=100.0", "sampler.convexity=0.5"}).plan;
  EXPECT_EQ(plan.constants.smoothness, 100);
  EXPECT_EQ(plan.constants.convexity, 0.5);
  EXPECT_EQ(plan.constants.clients[0].smoothness, 50);
  EXPECT_EQ(plan.theorem, plan::Theorem::fa_ld);
  EXPECT_NEAR(plan.step, 0.005, 1e-12);
}

// Twenty equal clients with one local step per round are a single Langevin chain, whose law at every time is known:
// from 100, after 40 steps with γ = 0.025, the mean is 100·0.975^40 = 36.3.
TEST(Planning, BoundsOfEqualWeightsAreInTheSamplersOwnStep) {
  std::string text = "[model]\nkind = \"gaussian\"\nprior = \"flat\"\n";
  for (int i = 0; i < 20; ++i) text += "[[client]]\nmean = [0.0]\nprecision = [[1.0]]\n";
  const double shrink = 0.975, left = std::pow(shrink, 40), step = 0.025 / 20;
  const double sd = std::sqrt(2 * step * (1 - left * left) / (1 - shrink * shrink));
  const double exact = std::hypot(100 * left, sd - std::sqrt(1.0 / 20));
  EXPECT_NEAR(exact, 36.3, 0.05);
  for (const char* name : {"sampler.name=fald", "sampler.name=custom"}) {
    const plan::Plan plan = report(text, {name, "sampler.local_steps=1", "sampler.step=0.025", "run.iterations=40",
                                          "run.burn_in=0", "run.init=[100.0]"})
                                .plan;
    EXPECT_EQ(plan.theorem, plan::Theorem::fa_ld) << name;
    ASSERT_TRUE(plan.bound) << name;
    EXPECT_GE(plan.bound->w2, exact) << name;
    EXPECT_NEAR(plan.bound->w2, 77.9, 0.05) << name;
  }
}

TEST(Planning, BitsAreThoseOfARun) {
  const Overrides overrides{"run.iterations=50", "run.chains=3", "run.burn_in=0"};
  const plan::Plan plan = report(kTwo, overrides).plan;
  const auto run = testing::sample(kTwo, overrides);
  EXPECT_EQ(plan.traffic.rounds, static_cast<double>(run.counters.rounds));
  EXPECT_EQ(plan.traffic.up_bits, static_cast<double>(run.counters.uplink_bits));
  EXPECT_EQ(plan.traffic.down_bits, static_cast<double>(run.counters.downlink_bits));
}

TEST(Planning, WithoutATheoremTheReasonIsGiven) {
  EXPECT_THAT(report(kTwo, {"sampler.name=fald", "sampler.compressor=qsgd"}).plan.warnings,
              Contains(HasSubstr("compressed messages")));
  EXPECT_THAT(report(kTwo, {"sampler.name=fa-ld", "sampler.communicate=0.5"}).plan.warnings,
              Contains(HasSubstr("random gaps")));
}

// A network has neither a smoothness constant nor convexity. The plan says which theorem would need them, and still
// counts.
TEST(Planning, ANetworkHasCostsButNoTheorem) {
  const Overrides mlp{"model.kind=mlp", "model.sizes=[3]", "sampler.step=1e-4", "run.iterations=50", "run.burn_in=0"};
  for (const auto& [name, theorem] :
       {std::pair("sampler.name=lsd", "QLSD, Theorem S5 requires a smoothness constant L"),
        std::pair("sampler.name=fa-ld", "FA-LD, Theorem 5.9 requires a smoothness")}) {
    Overrides keys = mlp;
    keys.emplace_back(name);
    const plan::Plan plan = report(testing::kLogistic, keys).plan;
    EXPECT_FALSE(plan.theorem);
    EXPECT_THAT(plan.warnings, Contains(::testing::AllOf(HasSubstr(theorem), HasSubstr("a network has neither"))));
    EXPECT_GT(plan.traffic.rounds, 0);
    EXPECT_GT(plan.traffic.up_bits, 0);
    const std::string text = to_text(plan);
    EXPECT_THAT(text, HasSubstr("a network has no bounds on its curvature"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("nan")));
    EXPECT_THAT(to_json(plan), HasSubstr("\"smoothness\": null"));
  }
}

TEST(Planning, PrivacyOfThePlan) {
  const PlanReport r = report(kTwo, {"sampler.name=fa-ld", "sampler.clip=0.5", "sampler.correlation=0.5",
                                     "sampler.step=1e-6", "output.lp=false", "privacy.delta=1e-5"});
  ASSERT_TRUE(r.privacy);
  EXPECT_TRUE(r.privacy->theorem.epsilon);
  EXPECT_FALSE(report(kTwo).privacy);
}

}  // namespace
}  // namespace pollen
