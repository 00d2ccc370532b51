#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pollen/errors.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;
using testing::kGaussian;
using testing::kLogistic;
using testing::sample;

Experiment prepared(const char* text, const Overrides& overrides = {}) {
  return Experiment(read_config_text(text, "test.toml", overrides));
}

TEST(Experiment, KeepsEveryThinthStateAfterBurnIn) {
  const auto outcome = sample(kGaussian, {"run.iterations=1000", "run.burn_in=100", "run.thin=7"});
  EXPECT_EQ(outcome.draws[0].size(), 2U * (900 / 7));
  const auto every = sample(kGaussian, {"run.iterations=1000"});
  EXPECT_EQ(outcome.draws[0][0], every.draws[0][2 * 106]);  // the state after iteration 107
}

TEST(Experiment, TheModeOfAGaussianIsItsMean) {
  Experiment e = prepared(kGaussian, {"run.init=mode", "model.prior=flat", "sampler.mode_tolerance=1e-10"});
  e.prepare();
  // The mode solves Σ Λ_i θ = Σ Λ_i μ_i with ΣΛ = [3.5 0.4; 0.4 6.7], ΣΛμ = [-0.05, 18.35].
  const double det = 3.5 * 6.7 - 0.4 * 0.4;
  EXPECT_NEAR(e.mode()[0], (6.7 * -0.05 - 0.4 * 18.35) / det, 1e-8);
  EXPECT_NEAR(e.mode()[1], (3.5 * 18.35 - 0.4 * -0.05) / det, 1e-8);
  EXPECT_EQ(e.position().column(1)[0], e.mode()[0]);
}

TEST(Experiment, SmoothnessIsTheLargestEigenvalue) {
  Experiment e = prepared(kGaussian);
  e.prepare();
  const double prior = 1 / 9.0;
  const double mid = (3.5 + 6.7) / 2 + prior;
  EXPECT_NEAR(e.smoothness(), mid + std::sqrt(1.6 * 1.6 + 0.4 * 0.4), 1e-2);
}

TEST(Experiment, AutoPicksAStableStepAndSaysSo) {
  for (const char* name : {"lsd", "qlsd", "qlsd#", "qlsd*", "qlsd++", "d-elf", "b-elf"}) {
    Experiment e = prepared(kLogistic, {"sampler.step=auto", std::string("sampler.name=") + name});
    e.prepare();
    EXPECT_GT(e.recipe().step.size, 0) << name;
    // top-k has no forecast, so that the step comes from the curvature alone.
    const bool forecast = e.forecast() != nullptr;
    EXPECT_EQ(forecast, !std::string(name).ends_with("elf")) << name;
    EXPECT_LE(e.recipe().step.size, (forecast ? 1 : 0.1) / e.smoothness() * 1.0001) << name;
    EXPECT_TRUE(!forecast || e.forecast()->ok || !e.warnings().empty()) << name;
    EXPECT_EQ(to_toml(e.config()).find("step = \"auto\""), std::string::npos);
    EXPECT_TRUE(std::ranges::any_of(e.notes(), [](const std::string& n) { return n.find("picked") != n.npos; }))
        << name;
    EXPECT_GT(e.counters().setup_bits, 0);
  }
}

TEST(Experiment, TheSearchForTheModeCostsTheSameWhoeverSamples) {
  const auto bits = [](const std::string& name) {
    Experiment e = prepared(kLogistic, {"run.init=mode", "sampler.batch=1.0", "sampler.name=" + name});
    e.prepare();
    return e.counters().setup_bits - e.data().setup_bits;
  };
  EXPECT_GT(bits("lsd"), 0);
  EXPECT_EQ(bits("nuts"), bits("lsd"));
}

TEST(Experiment, WarnsWhereLpCostsMoreThanSampling) {
  const auto warned = [](Overrides keys) {
    keys.insert(keys.end(), {"data.source=synthetic-logistic", "data.clients=100", "data.min_size=5", "data.max_size=6",
                             "participation.policy=fixed-size", "run.iterations=4000000"});
    const Experiment e = prepared(kLogistic, keys);
    return std::ranges::any_of(e.warnings(), [](const std::string& w) { return w.starts_with("lp__ takes a pass"); });
  };
  EXPECT_TRUE(warned({"participation.size=10"}));
  EXPECT_FALSE(warned({"participation.size=11"}));
  EXPECT_FALSE(warned({"participation.size=10", "run.thin=2"}));
  EXPECT_FALSE(warned({"participation.size=10", "output.lp=false"}));
  EXPECT_FALSE(warned({"participation.size=10", "run.burn_in=3999000"}));
}

TEST(Experiment, WarnsOfAnUnstableStepAndNamesTheRoundOfTheExplosion) {
  Experiment e = prepared(kGaussian, {"sampler.step=1.0"});
  e.prepare();
  ASSERT_FALSE(e.warnings().empty());
  EXPECT_NE(e.warnings().front().find("2/L"), std::string::npos);
  EXPECT_NE(e.warnings().back().find("the chain diverges"), std::string::npos);
  Collect collect;
  try {
    e.advance(1000, collect);
    FAIL() << "the chain should explode";
  } catch (const NumericError& error) {
    EXPECT_NE(std::string(error.what()).find("round "), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("smaller sampler.step"), std::string::npos);
  }
  EXPECT_GT(collect.draws[0].size(), 4U) << "draws before the explosion are kept";
}

TEST(Experiment, RunsFromItsOwnEffectiveConfiguration) {
  for (const char* text : {kGaussian, kLogistic}) {
    for (const char* name : {"qlsd++", "b-elf", "p-elf", "sgld"}) {
      Experiment first =
          prepared(text, {std::string("sampler.name=") + name, "run.iterations=50", "sampler.step=auto"});
      first.prepare();
      Collect a, b;
      first.advance(50, a);
      const std::string effective = to_toml(first.config());
      Experiment second(read_config_text(effective, "effective.toml"));
      second.prepare();
      second.advance(50, b);
      EXPECT_EQ(a.draws, b.draws) << name;
      EXPECT_EQ(to_toml(second.config()), effective);
    }
  }
}

TEST(Experiment, LpIsThePotentialAtTheDraw) {
  Experiment e = prepared(kGaussian, {"run.iterations=5"});
  e.prepare();
  Collect collect;
  e.advance(5, collect);
  const double x = collect.draws[0][0], y = collect.draws[0][1];
  const auto quadratic = [](double dx, double dy, double a, double b, double c) {
    return 0.5 * (a * dx * dx + 2 * b * dx * dy + c * dy * dy);
  };
  const double u = quadratic(x - 1, y + 2, 2, 0.3, 1) + quadratic(x, y - 4, 1, 0, 5) +
                   quadratic(x + 3, y - 0.5, 0.5, 0.1, 0.7) + 0.5 * (x * x + y * y) / 9;
  EXPECT_NEAR(collect.potentials[0], u, 1e-12 * std::abs(u));
}

// With likelihood = "mean", U = Σ_i (1/(b N_i)) Σ_j U_ij + ½‖θ‖²/sd².
TEST(Experiment, MeanLikelihoodIsTheTemperedTargetOfElf) {
  const std::string text = R"(
[model]
kind = "gaussian"
likelihood = "mean"
prior_sd = 2.0
[[client]]
data = [[1.0], [3.0]]
[[client]]
data = [[10.0]]
[run]
iterations = 1
burn_in = 0
chains = 1
init = [0.5]
[sampler]
name = "lsd"
step = 1e-12
)";
  Experiment e(read_config_text(text, "test.toml"));
  e.prepare();
  Collect collect;
  e.advance(1, collect);
  const double x = collect.draws[0][0];
  const double u =
      0.25 * (0.5 * (x - 1) * (x - 1) + 0.5 * (x - 3) * (x - 3)) + 0.5 * 0.5 * (x - 10) * (x - 10) + x * x / 8;
  EXPECT_NEAR(collect.potentials[0], u, 1e-9);
  EXPECT_NEAR(e.smoothness(), 0.5 + 0.5 + 0.25, 1e-3);
}

TEST(Experiment, StopsBetweenIterations) {
  std::atomic<bool> stop{true};
  Experiment e(read_config_text(kGaussian, "test.toml"), {.threads = 1, .stop = &stop});
  e.prepare();
  Collect collect;
  EXPECT_FALSE(e.advance(10, collect));
  EXPECT_EQ(e.iteration(), 0);
  stop = false;
  EXPECT_TRUE(e.advance(10, collect));
  EXPECT_EQ(e.iteration(), 10);
}

// Clients' own compressors count for step = "auto": a noisier one at one client makes the step smaller, but not as
// small as at all clients.
TEST(Experiment, AutomaticStepsCountEveryClientsCompressor) {
  const auto step = [](const std::string& own, const Overrides& more, bool all = false) {
    std::string text = "[model]\nkind = \"gaussian\"\nprior = \"flat\"\n";
    for (int i = 0; i < 2; ++i)
      text += "[[client]]\nmean = [0.0, 1.0]\nprecision = [[1.0, 0.0], [0.0, 1.0]]\n" + (i == 0 || all ? own : "");
    Experiment experiment(read_config_text(text + "[sampler]\nname = \"qlsd\"\nstep = \"auto\"\n", "t.toml", more));
    experiment.prepare();
    return experiment.recipe().step.size;
  };
  // The search resolves steps to 1 %.
  const Overrides natural{"sampler.compressor=natural"}, rand_k{"sampler.compressor=rand-k", "sampler.k=1"};
  const double all_rand_k = step("", rand_k), all_natural = step("", natural);
  const double one_rand_k = step("compressor = \"rand-k\"\nk = 1\n", natural);
  const double one_whole = step("compressor = \"identity\"\n", rand_k);
  EXPECT_LT(all_rand_k, 0.99 * one_rand_k);
  EXPECT_LT(one_rand_k, 0.99 * all_natural);
  EXPECT_LT(all_rand_k, 0.99 * one_whole);
  EXPECT_LT(one_whole, 0.99 * step("", {"sampler.compressor=identity"}));
  EXPECT_EQ(step("compressor = \"rand-k\"\nk = 1\n", natural, true), all_rand_k);
}

}  // namespace
}  // namespace pollen
