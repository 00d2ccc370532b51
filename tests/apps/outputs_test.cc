#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "program.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

class Outputs : public ProgramTest {};

TEST_F(Outputs, ARunLeavesItsFiles) {
  put("a.toml", kTinyLogistic);
  const Outcome outcome = run({"run", "a.toml", "--out", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(listing("out"), (Words{"checkpoint", "clients.json", "config.toml", "draws-1.csv", "draws-2.csv",
                                   "draws-3.csv", "encoder.json", "metrics.csv", "summary.json"}));
  EXPECT_NE(outcome.out.find("intercept"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("100%"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos);
  const Json json = Json::parse(slurp("out/summary.json"));
  EXPECT_EQ(json["draws_per_chain"], 500);
  EXPECT_EQ(json["chains"], 3);
  EXPECT_EQ(json["communication"]["rounds"], 3000);
  for (const char* key : {"accuracy", "accuracy_mean", "ece", "brier", "nnll"})
    EXPECT_TRUE(json["metrics"][key].is_number()) << key;
  EXPECT_GT(json["metrics"]["accuracy"], 0.7);
  EXPECT_EQ(json["event"], Json({{"target", "survived"}, {"level", "yes"}}));
  EXPECT_NE(outcome.out.find("event: survived = yes"), std::string::npos) << outcome.out;
  const std::string statement = json["statement"];
  for (const char* piece :
       {"Logistic regression of survived: the event is survived = yes.", "training rows of 5 clients",
        "Coefficients of the log odds of survived = yes, per unit of each column", "N(0, ", "Sampled by "})
    EXPECT_NE(statement.find(piece), std::string::npos) << piece << " is not in\n" << statement;
  EXPECT_EQ(json["target"]["ratio"], "odds ratio");
  EXPECT_NE(outcome.out.find("odds ratio (q5 to q95)"), std::string::npos) << outcome.out;
  EXPECT_EQ(json["scored"]["on"], "test");
  EXPECT_GT(json["auc"]["value"], json["auc"]["lower"]);
  EXPECT_EQ(json["predictive_check"]["clients"].size(), 5u);
  EXPECT_NE(outcome.out.find("AUC of the event's probability: 0."), std::string::npos) << outcome.out;
  EXPECT_EQ(json["clients"].size(), 5u);
  const std::string metrics = slurp("out/metrics.csv");
  EXPECT_EQ(metrics.find("round,uplink_bits,downlink_bits,gradients,seconds,accuracy,ece,brier,nnll,accuracy_state,"
                         "ece_state,brier_state,nnll_state\n100,"),
            0u)
      << metrics;
  EXPECT_EQ(metrics.find(",,"), std::string::npos) << metrics;  // rows during burn-in have scores, too
  EXPECT_EQ(metrics.find(",\n"), std::string::npos) << metrics;
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 31);
}

// A burn-in that the user does not give follows the iterations, also where the built-in problem has one of its own.
TEST_F(Outputs, TheBuiltInProblemTakesFewerIterations) {
  for (const auto& [more, burn_in] : {std::pair(Words{}, 30), std::pair(Words{"--set", "run.burn_in=100"}, 100)}) {
    Words words = {"run", "--quiet", "--out", fmt::format("out-{}", burn_in), "--set", "run.iterations=300"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(slurp(fmt::format("out-{}/summary.json", burn_in)));
    EXPECT_EQ(json["setup"]["burn_in"], burn_in);
    EXPECT_EQ(json["draws_per_chain"], (300 - burn_in) / 5);
  }
}

TEST_F(Outputs, GaussianMomentsAreTheProblems) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--out", "out", "--quiet"}).code, 0);
  const Json json = Json::parse(slurp("out/summary.json"));
  // The precision is [[3, .3], [.3, 6]], and the mean is precision⁻¹ Σ Λ_i μ_i = precision⁻¹ (1.4, 18.3).
  EXPECT_NEAR(json["parameters"][0]["mean"].get<double>(), 0.1625, 0.1);
  EXPECT_NEAR(json["parameters"][1]["mean"].get<double>(), 3.0419, 0.1);
  EXPECT_TRUE(json["metrics"].empty());
  EXPECT_FALSE(json.contains("event"));
  EXPECT_EQ(slurp("out/metrics.csv").find("round,uplink_bits,downlink_bits,gradients,seconds\n"), 0u);
}

// The data are three clusters, the test rows are from the same clusters, and the out-of-distribution rows lie between
// them.
TEST_F(Outputs, RowsFromElsewhereAreLessCertain) {
  const auto clusters = [](int rows) {
    std::string text = "u,v,y\n";
    for (int r = 0; r < rows; ++r) {
      const double angle = 2.0944 * (r % 3) + 0.2 * std::sin(r);
      text += fmt::format("{},{},{}\n", 3 * std::cos(angle), 3 * std::sin(angle), r % 3);
    }
    return text;
  };
  put("train.csv", clusters(300));
  put("test.csv", clusters(60));
  put("else.csv", "v,u\n0,0\n0.1,0\n0,-0.1\n");
  put("a.toml",
      "[model]\nkind = \"softmax\"\n[data]\nsource = \"train.csv\"\ntest_source = \"test.csv\"\nood_source = "
      "\"else.csv\"\npartition = \"label-pairs\"\nclients = 6\n[sampler]\nname = \"lsd\"\nstep = 1e-3\n[run]\n"
      "iterations = 2000\nchains = 2\n");
  const Outcome outcome = run({"run", "a.toml", "--out", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("on 3 rows from elsewhere:"), std::string::npos) << outcome.out;
  const Json json = Json::parse(slurp("out/summary.json"));
  EXPECT_EQ(json["setup"]["test_rows"], 60);
  EXPECT_EQ(json["setup"]["train_rows"], 300);
  EXPECT_EQ(json["clients"][0]["test_rows"], 0);
  EXPECT_GT(json["metrics"]["accuracy"], 0.95);
  EXPECT_EQ(json["ood"]["auroc"], 1.0);
  EXPECT_EQ(json["ood"]["confident_out"], 0.0);
  ASSERT_EQ(run({"run", "out/config.toml", "--out", "again", "--quiet"}).code, 0);
  EXPECT_EQ(slurp("out/draws-1.csv"), slurp("again/draws-1.csv"));
  EXPECT_NE(run({"data", "a.toml"}).out.find("60 test rows belong to no client"), std::string::npos);
}

TEST_F(Outputs, QuietSaysNothingOnStderr) {
  put("g.toml", kTinyGaussian);
  EXPECT_EQ(run({"run", "g.toml", "--quiet", "--out", "out"}).err, "");
}

TEST_F(Outputs, TheEffectiveConfigurationGivesTheSameDraws) {
  put("a.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "a.toml", "--out", "one", "--quiet", "--set", "sampler.step=auto"}).code, 0);
  const Outcome again = run({"run", "one/config.toml", "--out", "two", "--quiet"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(slurp("one/draws-2.csv"), slurp("two/draws-2.csv"));
}

TEST_F(Outputs, DrawsNoneStillHasASummary) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out", "--set", "output.draws=[\"none\"]"}).code, 0);
  EXPECT_EQ(listing("out"), (Words{"checkpoint", "clients.json", "config.toml", "metrics.csv", "summary.json"}));
  EXPECT_EQ(run({"summary", "out"}).code, 0);
}

TEST_F(Outputs, AStepThatExplodesEndsWithOneAndKeepsTheDraws) {
  put("g.toml", kTinyGaussian);
  const Outcome outcome = run({"run", "g.toml", "--out", "out", "--set", "sampler.step=0.5", "--set", "run.burn_in=0"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("round "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("sampler.step"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("stability bound"), std::string::npos) << outcome.err;
  EXPECT_TRUE(exists("out/draws-1.csv"));
  const Json json = Json::parse(slurp("out/summary.json"));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_GT(json["draws_per_chain"], 0);
}

TEST_F(Outputs, AFullDiskIsExitOneWithTheReason) {
  put("a.toml", kTinyLogistic);
  ProgramOptions options;
  for (const std::int64_t limit : {1000, 20'000, 60'000}) {
    options.file_limit = limit;
    const Outcome outcome = run({"run", "a.toml", "--quiet", "--out", "out"}, options);
    EXPECT_EQ(outcome.code, 1) << limit;
    EXPECT_NE(outcome.err.find("out/"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
    for (const std::string& name : listing("out")) EXPECT_FALSE(name.ends_with(".tmp")) << name;
  }
  EXPECT_EQ(run({"run", "a.toml", "--quiet", "--out", "out"}).code, 0);
}

TEST_F(Outputs, LpOffIsNan) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out", "--set", "output.lp=false"}).code, 0);
  EXPECT_NE(slurp("out/draws-1.csv").find("\nnan,1,0.05,0,0,0,nan,"), std::string::npos);
}

}  // namespace
}  // namespace pollen
