// Tests FA-LD's schemes with various sizes of clients: refused, allowed, or with a warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "support/problems.h"

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

TEST(LocalSizes, AStepBeyondTheLocalStepsIsWarnedOf) {
  Experiment experiment(read_config_text(problem(4), "my.toml", {"sampler.step=5.0"}));
  experiment.prepare();
  EXPECT_THAT(experiment.warnings(), Contains(HasSubstr("stability bound")));
}

}  // namespace
}  // namespace pollen
