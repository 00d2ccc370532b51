// Tests FA-LD's schemes with various sizes of clients: refused, allowed, or with a warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "stats/exact_law.h"
#include "support/problems.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns a problem with two clients, the first of `rows` rows and the second of two.
std::string problem(int rows) {
  std::string data;
  for (int i = 0; i < rows; ++i) data += fmt::format("{}[{}.5]", i == 0 ? "" : ", ", i);
  return fmt::format(
      "[model]\nkind = \"gaussian\"\n[[client]]\ndata = [{}]\n[[client]]\ndata = [[1.0], [2.0]]\n"
      "[run]\niterations = 20\n[sampler]\nname = \"fa-ld\"\nstep = 0.01\nlocal_steps = 2\n",
      data);
}

struct Told {
  std::string refusal;
  std::vector<std::string> warnings;
};

Told told(int rows, Overrides overrides) {
  overrides.push_back("participation.size=1");
  try {
    Experiment experiment(read_config_text(problem(rows), "my.toml", overrides));
    return {"", experiment.warnings()};
  } catch (const ConfigError& e) {
    return {e.what(), {}};
  }
}

TEST(LocalSizes, SchemeTwoWantsBalancedClients) {
  EXPECT_THAT(
      told(4, {"sampler.scheme=II"}).refusal,
      ::testing::AllOf(HasSubstr("my.toml: sampler.scheme"), HasSubstr("2 to 4 rows"), HasSubstr("allow_unbalanced")));
  EXPECT_EQ(told(4, {"sampler.scheme=II", "sampler.allow_unbalanced=true"}).refusal, "");
  EXPECT_EQ(told(3, {"sampler.scheme=II"}).refusal, "") << "one row more is balanced";
  EXPECT_EQ(told(4, {"sampler.scheme=I"}).refusal, "");
}

TEST(LocalSizes, TheFactorIsSaid) {
  EXPECT_THAT(told(2, {"sampler.scheme=II", "sampler.correlation=0.6"}).warnings,
              Contains(HasSubstr("1.64 times too high")));  // 0.36 + 0.64 · 2
  EXPECT_THAT(told(2, {"sampler.scheme=I", "sampler.correlation=0.6"}).warnings, Contains(HasSubstr("counts 2 times")));
  for (const char* scheme : {"sampler.scheme=I", "sampler.scheme=II"})
    EXPECT_THAT(told(2, {scheme, "sampler.correlation=1.0"}).warnings, Not(Contains(HasSubstr("does not sample"))));
}

// Four identical clients, of which one takes part with private noise only: the exact law has four times the variance of
// the law with everybody, which is the factor that the warning states.
TEST(LocalSizes, TheFactorOfAbsentClientsIsThatOfTheExactLaw) {
  std::string text = "[model]\nkind = \"gaussian\"\nprior = \"flat\"\n";
  stats::QuadraticProblem problem{{}, Eigen::VectorXd::Zero(1)};
  for (int i = 0; i < 4; ++i) {
    text += "[[client]]\nmean = [0.0]\nprecision = [[1.0]]\n";
    problem.clients.push_back({{{Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Zero(1)}}});
  }
  const auto warnings = [&](Overrides keys) {
    keys.insert(keys.end(), {"sampler.name=fald", "sampler.local_steps=1", "sampler.step=0.05"});
    return Experiment(read_config_text(text, "my.toml", keys)).warnings();
  };
  stats::AveragingLawOptions options;
  options.step = 0.05;
  options.correlation = 0;
  const double everybody = stats::averaging_family_law(problem, options)[0].covariance(0, 0);
  options.participation = stats::GradientLawOptions::Participation::fixed_size;
  options.size = 1;
  EXPECT_NEAR(stats::averaging_family_law(problem, options)[0].covariance(0, 0) / everybody, 4, 1e-9);
  const Overrides one{"participation.policy=fixed-size", "participation.size=1", "sampler.correlation=0.0"};
  EXPECT_THAT(warnings(one), Contains(HasSubstr("fald with absent clients and correlation below 1 does not sample the "
                                                "target: its temperature is 4 times too high")));
  const Overrides all{"participation.policy=fixed-size", "participation.size=4", "sampler.correlation=0.0"};
  EXPECT_THAT(warnings(all), Not(Contains(HasSubstr("does not sample"))));
  const Overrides common{"participation.policy=fixed-size", "participation.size=1", "sampler.correlation=1.0"};
  EXPECT_THAT(warnings(common), Not(Contains(HasSubstr("does not sample"))));
}

// With coins, the mean of b/|A| takes the place of b/S: for two clients and p = 1/2 it is (2·2 + 1)/3 = 5/3.
TEST(LocalSizes, TheFactorOfCoins) {
  const Told coins = told(2, {"sampler.name=fald", "sampler.correlation=0.4", "participation.policy=bernoulli",
                              "participation.probability=0.5"});
  EXPECT_THAT(coins.warnings, Contains(HasSubstr("temperature is 1.4 times too high")));  // 0.4 + 0.6·5/3
}

// The decaying step needs m. It is not taken from the prior where the model is not known to be convex.
TEST(LocalSizes, NoConvexityIsTakenForGranted) {
  const auto prepare = [](const Overrides& keys) {
    const std::string text = R"(
[model]
kind = "linear"
[data]
source = ")" + source_dir() + R"(/examples/data/deliveries.csv"
target = "hours"
partition = "by-column"
column = "depot"
[sampler]
name = "fa-ld"
schedule = "decaying"
[run]
iterations = 10
)";
    Experiment(read_config_text(text, "my.toml", keys)).prepare();
  };
  try {
    prepare({});
    ADD_FAILURE() << "a linear model with sampled sigma has no m";
  } catch (const ConfigError& e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(HasSubstr("my.toml: sampler.schedule"), HasSubstr("strong convexity m"),
                                           HasSubstr("sampled sigma is not convex"), HasSubstr("sampler.convexity")));
  }
  EXPECT_NO_THROW(prepare({"sampler.convexity=0.1"}));
  EXPECT_NO_THROW(prepare({"model.noise_sd=1.0"}));
}

TEST(LocalSizes, AStepBeyondTheLocalStepsIsWarnedOf) {
  Experiment experiment(read_config_text(problem(4), "my.toml", {"sampler.step=5.0"}));
  experiment.prepare();
  EXPECT_THAT(experiment.warnings(), Contains(HasSubstr("stability bound")));
}

}  // namespace
}  // namespace pollen
