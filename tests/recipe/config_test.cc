#include "pollen/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::string& text, const Overrides& overrides = {}) {
  try {
    read_config_text(text, "my.toml", overrides);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

struct Bad {
  const char* text;
  std::vector<const char*> says;
};

TEST(Config, RefusalsNameFileKeyFoundAndAccepted) {
  const std::vector<Bad> cases = {
      {"[sampler]\nstep = -1", {"my.toml:2", "sampler.step", "found -1", "a number above 0", "auto"}},
      {"[sampler]\nstep = \"fast\"", {"sampler.step", "fast", "\"auto\""}},
      {"[sampler]\nstep = nan", {"sampler.step", "nan"}},
      {"[sampler]\nstpe = 1", {"sampler.stpe", "unknown key", "sampler.step"}},
      {"[smapler]\nstep = 1", {"smapler", "sampler"}},
      {"step = 1", {"step", "did you mean sampler.step"}},
      {"[sampler]\nname = \"qlsd+++\"", {"sampler.name", "qlsd+++", "did you mean \"qlsd++\"?"}},
      {"[sampler]\nbatch = 0", {"sampler.batch", "found 0"}},
      {"[sampler]\nbatch = 1.5", {"sampler.batch", "1.5"}},
      {"[sampler]\nlevels = 0", {"sampler.levels"}},
      {"[sampler]\nbits = 48", {"sampler.bits", "32 or 64"}},
      {"[sampler]\nk = 2.5", {"sampler.k", "an integer"}},
      {"[participation]\nprobability = 0", {"participation.probability", "found 0"}},
      {"[participation]\nprobability = [0.5, 1.2]", {"participation.probability"}},
      {"[model]\nkind = \"logistik\"", {"model.kind", "\"logistic\"?"}},
      {"[model]\nprior_sd = 0", {"model.prior_sd"}},
      {"[model]\nprior_sd = []", {"model.prior_sd"}},
      {"[run]\nchains = 0", {"run.chains"}},
      {"[run]\niterations = \"many\"", {"run.iterations", "many"}},
      {"[run]\ninit = \"somewhere\"", {"run.init"}},
      {"[data]\ntest_fraction = 1.0", {"data.test_fraction"}},
      {"[data]\nclients = 0", {"data.clients"}},
      {"[output]\ndraws = [\"cvs\"]", {"output.draws"}},
      {"seed = -3", {"seed", "found -3"}},
      {"sampler = 3", {"sampler", "a table"}},
      {"[[client]]\nmaen = [1.0]", {"client 1, maen", "mean"}},
      {"[[client]]\nmean = 3", {"client 1, mean"}},
      {"[sampler\nstep = 1", {"my.toml:1"}},
      {"a = \n", {"my.toml:1"}},
      {"[ =", {"my.toml:1"}},
      {"seed = 1\nseed = 2", {"my.toml:2"}},
  };
  for (const Bad& bad : cases)
    for (const char* word : bad.says) EXPECT_THAT(refusal(bad.text), HasSubstr(word)) << bad.text;
}

TEST(Config, SeveralProblemsAreToldTogetherAndAtMostTen) {
  EXPECT_THAT(refusal("[sampler]\nstep = -1\nlevels = 0\n[run]\nchains = 0"),
              AllOf(HasSubstr("sampler.step"), HasSubstr("sampler.levels"), HasSubstr("run.chains")));
  std::string text = "[sampler]\n";
  for (int i = 0; i < 30; ++i) text += "key" + std::to_string(i) + " = 1\n";
  try {
    read_config_text(text, "my.toml");
    FAIL();
  } catch (const ConfigError& e) {
    EXPECT_EQ(e.problems().size(), 10U);
  }
}

TEST(Config, OverridesAreTomlOrElseBareStrings) {
  const Config c = read_config_text("[sampler]\nstep = 1.0", "my.toml",
                                    {"sampler.step=1e-4", "sampler.name=qlsd#", "run.init=[1, 2]",
                                     "participation.probability=[0.1, 0.2]", "data.target = survived"});
  EXPECT_EQ(c.sampler.step, 1e-4);
  EXPECT_EQ(c.sampler.name, "qlsd#");
  EXPECT_EQ(c.run.init_values, (std::vector<double>{1, 2}));
  EXPECT_TRUE(c.participation.probability_is_list);
  EXPECT_EQ(c.data.target, "survived");
  EXPECT_THAT(refusal("", {"sampler.step"}), HasSubstr("key=value"));
  EXPECT_THAT(refusal("", {"sampler.stop=1"}), AllOf(HasSubstr("--set"), HasSubstr("sampler.step")));
}

TEST(Config, IntegersAndDecimalsOfBatchDiffer) {
  EXPECT_EQ(read_config_text("[sampler]\nbatch = 1", "x").sampler.batch->of(50), 1);
  EXPECT_EQ(read_config_text("[sampler]\nbatch = 1.0", "x").sampler.batch->of(50), 50);
  EXPECT_EQ(read_config_text("[sampler]\nbatch = 0.1", "x").sampler.batch->of(57), 5);
  EXPECT_EQ(read_config_text("[sampler]\nbatch = 0.1", "x").sampler.batch->of(3), 1);
  EXPECT_EQ(read_config_text("[sampler]\nbatch = 80", "x").sampler.batch->of(57), 57);
}

TEST(Config, TheEffectiveTextReadsBackAsItself) {
  const std::string text = R"(
seed = 12
[model]
kind = "linear"
prior_sd = [1.0, 0.1, 1e-7]
noise_sd = 0.3
[data]
source = ["a b.csv", "c\"d.csv"]
partition = "given"
categorical = ["x"]
exclude = ["z"]
levels = {x = ["u", "v"], "odd name" = ["1", "2"]}
[sampler]
name = "custom"
oracle = "svrg"
batch = 3
[participation]
policy = "bernoulli"
probability = [0.5, 0.25]
[run]
init = [1.0, 2.0, 3.0]
[[client]]
levels = 4
[[client]]
compressor = "natural"
)";
  Config c = read_config_text(text, "my.toml");
  std::vector<std::string> warnings;
  complete(c, 2, 3, warnings);
  const std::string once = to_toml(c);
  Config again = read_config_text(once, "again.toml");
  complete(again, 2, 3, warnings);
  EXPECT_EQ(to_toml(again), once);
  EXPECT_EQ(again.data.sources, c.data.sources);
  EXPECT_EQ(again.data.levels, c.data.levels);
  EXPECT_EQ(again.model.prior_sd, c.model.prior_sd);
}

TEST(Config, DefaultsThatFollowFromTheSourceAreWrittenOut) {
  const std::string mixed = to_toml(read_config_text("[data]\nsource = \"synthetic-mixed\"", "x"));
  for (const char* line : {"standardize = false", "intercept = false", "constant = \"keep\"", "heterogeneity = 1.0",
                           "latent_dimension = 2", "noise_sd = 0.31622776601683794", "small_share = 0.9"})
    EXPECT_THAT(mixed, HasSubstr(std::string(line) + "\n"));
  EXPECT_EQ(to_toml(read_config_text(mixed, "x")), mixed);
  const std::string other = to_toml(read_config_text("[data]\nsource = \"synthetic-gaussian\"", "x"));
  for (const char* line : {"standardize = true", "intercept = true", "constant = \"drop\"", "heterogeneity = 5.0"})
    EXPECT_THAT(other, HasSubstr(std::string(line) + "\n"));
  EXPECT_THAT(other, ::testing::Not(HasSubstr("latent_dimension")));
  EXPECT_EQ(to_toml(read_config_text(other, "x",
                                     {"data.source=synthetic-mixed", "data.intercept=false", "data.standardize=false",
                                      "data.constant=keep", "data.heterogeneity=1"})),
            mixed);
  const std::string given = "[data]\nsource = \"synthetic-mixed\"\nintercept = true\nheterogeneity = 5.0";
  for (const char* line : {"intercept = true", "heterogeneity = 5.0", "standardize = false"})
    EXPECT_THAT(to_toml(read_config_text(given, "x")), HasSubstr(std::string(line) + "\n"));
}

TEST(Config, DefaultsThatFollowFromThePartitionAreWrittenOut) {
  const auto written = [](const std::string& partition) {
    return to_toml(read_config_text("[data]\nsource = \"a.csv\"\npartition = \"" + partition + "\"", "a.toml"));
  };
  const auto has = [](const std::string& text, const std::string& line) {
    return text.find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has(written("iid"), "clients = 10"));
  EXPECT_EQ(written("iid").find("dominant_share"), std::string::npos);
  EXPECT_TRUE(has(written("dominant-label"), "clients = 20"));
  EXPECT_TRUE(has(written("dominant-label"), "dominant_share = 0.4"));
  EXPECT_TRUE(has(written("dominant-label"), "other_share = 0.01"));
  EXPECT_TRUE(has(written("label-pairs"), "dominant_share = 0.8"));
  EXPECT_TRUE(has(written("classes-per-client"), "classes_per_client = 2"));
  EXPECT_EQ(written("by-writer").find("\nclients ="), std::string::npos);  // by default all clients are used
}

TEST(Config, EveryPathIsMadeAbsolute) {
  const Config config = read_config_text(
      "[data]\nsource = \"a\"\nlabels = \"b\"\nwriters = \"c\"\ntest_source = \"d\"\ntest_labels = \"e\"", "a.toml",
      {"data.ood_source=f"});
  const DataSpec& data = config.data;
  for (const std::string& path :
       {data.sources[0], data.labels, data.writers, data.test_source, data.test_labels, data.ood_source})
    EXPECT_TRUE(path.starts_with("/")) << path;
}

TEST(Config, TheBuiltInProblemIsItsExample) {
  const Config example = read_config_file(pollen::source_dir() + "/examples/titanic.toml");
  EXPECT_EQ(to_toml(example), to_toml(read_config_text(builtin_config(), "built-in")));
}

}  // namespace
}  // namespace pollen
