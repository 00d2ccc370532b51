// Tests privacy in a run: where it stops, what it reports, and that no number is given if an assumption fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "support/private_run.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;
using ::testing::Contains;
using ::testing::HasSubstr;

Config config(Overrides overrides) { return read_config_text(testing::kPrivateRun, "test.toml", overrides); }

PrivacySpending spending(const Overrides& overrides, std::int64_t iterations = 1000) {
  Experiment experiment(config(overrides));
  experiment.prepare();
  return experiment.privacy().after(iterations);
}

std::string problem(const Overrides& overrides) {
  Experiment experiment(config(overrides));
  try {
    experiment.prepare();
  } catch (const ConfigError& error) {
    std::string text;
    for (const Problem& p : error.problems()) text += p.where + ": " + p.what + "\n";
    return text;
  }
  return "";
}

TEST(PrivacyOfARun, StopsBeforeTheRoundThatWouldExceedTheBudget) {
  Experiment experiment(config({"privacy.target_epsilon=10.0"}));
  experiment.prepare();
  Collect collect;
  EXPECT_FALSE(experiment.advance(3000, collect));
  const PrivacyMeter& meter = experiment.privacy();
  EXPECT_EQ(experiment.iteration() % 5, 0);
  EXPECT_EQ(meter.budget(), experiment.iteration());
  EXPECT_LE(*meter.after(experiment.iteration()).theorem.epsilon, 10);
  EXPECT_GT(*meter.after(experiment.iteration() + 1).theorem.epsilon, 10);
  EXPECT_THAT(experiment.warnings(),
              Contains(HasSubstr("spent after round " + std::to_string(experiment.iteration() / 5))));
  const std::size_t told = experiment.warnings().size();
  EXPECT_FALSE(experiment.advance(10, collect));
  EXPECT_EQ(experiment.iteration(), *meter.budget());
  EXPECT_EQ(experiment.warnings().size(), told);
}

TEST(PrivacyOfARun, RenyiLastsLonger) {
  Experiment theorem(config({"privacy.target_epsilon=5.0"})),
      renyi(config({"privacy.target_epsilon=5.0", "privacy.accountant=renyi"}));
  theorem.prepare();
  renyi.prepare();
  EXPECT_GT(renyi.privacy().budget().value_or(3000), 2 * *theorem.privacy().budget());
  EXPECT_LE(*renyi.privacy().after(renyi.privacy().budget().value_or(3000)).renyi.epsilon, 5);
}

TEST(PrivacyOfARun, WarnsOnceAndGoesOn) {
  Experiment experiment(config({"privacy.target_epsilon=10.0", "privacy.on_spent=warn"}));
  experiment.prepare();
  Collect collect;
  EXPECT_TRUE(experiment.advance(2000, collect));
  EXPECT_TRUE(experiment.advance(1000, collect));
  EXPECT_EQ(std::ranges::count_if(experiment.warnings(),
                                  [](const auto& w) { return w.find("went on") != std::string::npos; }),
            1);
}

TEST(PrivacyOfARun, ResumeStopsAtTheSameRound) {
  const Overrides overrides{"privacy.target_epsilon=10.0"};
  Collect whole, parts;
  Experiment uninterrupted(config(overrides));
  uninterrupted.prepare();
  uninterrupted.advance(3000, whole);
  Experiment first(config(overrides));
  first.prepare();
  first.advance(203, parts);
  Experiment second(config(overrides));
  second.load(first.save());
  EXPECT_FALSE(second.advance(3000 - 203, parts));
  EXPECT_EQ(parts.draws, whole.draws);
  EXPECT_EQ(second.warnings(), uninterrupted.warnings());
  EXPECT_EQ(second.privacy().after(second.iteration()).theorem.epsilon,
            uninterrupted.privacy().after(uninterrupted.iteration()).theorem.epsilon);
}

// A step that was found from the data is remembered as such, although the configuration now shows a number.
TEST(PrivacyOfARun, ResumeRemembersWhatLookedAtTheData) {
  Experiment first(config({"sampler.step=auto"}));
  first.prepare();
  Experiment second(read_config_text(to_toml(first.config()), "test.toml"));
  second.load(first.save());
  EXPECT_FALSE(second.privacy().after(10).theorem.epsilon);
  EXPECT_THAT(second.privacy().after(10).theorem.why, Contains(HasSubstr("auto")));
}

TEST(PrivacyOfARun, NoNumberWhereAnAssumptionFails) {
  EXPECT_TRUE(spending({}).theorem.epsilon);
  EXPECT_TRUE(spending({}).renyi.epsilon);
  const std::vector<std::pair<Overrides, std::string>> cases = {{{"sampler.correlation=1.0"}, "infinite"},
                                                                {{"run.init=mode"}, "init"},
                                                                {{"sampler.step=auto"}, "step"},
                                                                {{"data.standardize=true"}, "standardize"},
                                                                {{"data.min_cell=2"}, "min_cell"},
                                                                {{"output.lp=true"}, "lp"},
                                                                {{"sampler.step=0.1"}, "the theorem holds up to"},
                                                                {{"sampler.schedule=decaying"}, "schedule"}};
  for (const auto& [overrides, why] : cases) {
    const PrivacySpending s = spending(overrides);
    EXPECT_FALSE(s.theorem.epsilon) << why;
    EXPECT_THAT(s.theorem.why, Contains(HasSubstr(why)));
    EXPECT_EQ(s.renyi.epsilon.has_value(), why == "the theorem holds up to") << why;
  }
  std::string text = testing::kPrivateRun;
  text.erase(text.find("clip = 0.5\n"), 11);
  Experiment unclipped(read_config_text(text, "test.toml"));
  unclipped.prepare();
  EXPECT_FALSE(unclipped.privacy().after(10).renyi.epsilon);
  EXPECT_THAT(unclipped.privacy().after(10).theorem.why, Contains(HasSubstr("no clipping")));
}

TEST(PrivacyOfARun, WhatIsAcceptedByNameIsNoObstacle) {
  EXPECT_TRUE(spending({"output.lp=true", "data.standardize=true", "privacy.accept=[\"lp\", \"standardize\"]"})
                  .theorem.epsilon);
  EXPECT_FALSE(spending({"output.lp=true", "data.standardize=true", "privacy.accept=[\"lp\"]"}).theorem.epsilon);
}

TEST(PrivacyOfARun, RandomGapsAreRenyisAlone) {
  std::string text = testing::kPrivateRun;
  text.replace(text.find("local_steps = 5"), 15, "communicate = 0.2");
  Experiment experiment(read_config_text(text, "test.toml"));
  experiment.prepare();
  EXPECT_FALSE(experiment.privacy().after(100).theorem.epsilon);
  EXPECT_TRUE(experiment.privacy().after(100).renyi.epsilon);
}

TEST(PrivacyOfARun, ABudgetThatCannotBeHeldIsRefusedBeforeAnythingRuns) {
  EXPECT_THAT(problem({"privacy.target_epsilon=0.001"}), HasSubstr("the first round costs"));
  EXPECT_THAT(problem({"privacy.target_epsilon=5.0", "output.lp=true"}), HasSubstr("privacy.accept"));
  EXPECT_EQ(problem({"privacy.target_epsilon=5.0", "output.lp=true", "privacy.on_spent=warn"}), "");
  EXPECT_THAT(problem({"privacy.target_epsilon=3.0", "run.burn_in=1000"}), HasSubstr("spent on burn-in alone"));
  EXPECT_EQ(problem({"privacy.target_epsilon=3.0", "run.burn_in=20"}), "");
}

// The stability check would itself reveal something about the data, in a warning and in summary.json.
TEST(PrivacyOfARun, TheCurvatureIsNotLookedAt) {
  Experiment experiment(config({}));
  experiment.prepare();
  EXPECT_EQ(experiment.smoothness(), 0);
  EXPECT_THAT(experiment.notes(), Contains(HasSubstr("not held against")));
}

TEST(PrivacyOfARun, OtherSamplersHaveNone) {
  Experiment experiment(config({"sampler.name=qlsd++"}));
  experiment.prepare();
  EXPECT_FALSE(experiment.privacy().asked());
  EXPECT_THAT(experiment.privacy().after(1).theorem.why, Contains(HasSubstr("fa-ld")));
  EXPECT_THAT(
      experiment.warnings(),
      Contains(HasSubstr("privacy.delta is set but plays no role here: it is used for fa-ld, the only sampler")));
}

}  // namespace
}  // namespace pollen
