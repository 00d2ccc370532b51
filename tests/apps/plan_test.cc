#include <nlohmann/json.hpp>

#include "program.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

class PlanCommand : public ProgramTest {};

TEST_F(PlanCommand, TheBuiltInProblem) {
  const Outcome plan = run({"plan"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  for (const char* piece : {"theorem", "rounds", "bits up", "note: m:"})
    EXPECT_NE(plan.out.find(piece), std::string::npos) << plan.out;
  EXPECT_EQ(plan.err, "");
  EXPECT_TRUE(plan.out.starts_with("forecast (Gaussian approximation at the mode")) << plan.out;
  EXPECT_NE(plan.out.find("for 1,000 effective draws"), std::string::npos) << plan.out;
  EXPECT_TRUE(listing().empty());
}

TEST_F(PlanCommand, AGaussianProblemToAPrecision) {
  put("g.toml", kTinyGaussian);
  const Outcome plan = run(
      {"plan", "g.toml", "--set", "sampler.name=lsd", "--set", "sampler.step=0.01", "--precision", "0.3", "--json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  const Json json = Json::parse(plan.out);
  EXPECT_EQ(json["theorem"], "qlsd");
  EXPECT_GT(json["convexity"], 0);
  EXPECT_GE(json["smoothness"], json["convexity"]);
  EXPECT_TRUE(json["bound"]["w2"].is_number());
  EXPECT_TRUE(json["precision"]["reached"].is_boolean());
  EXPECT_FALSE(json["notes"].empty());
  EXPECT_TRUE(json["privacy"].is_null());
  EXPECT_TRUE(json["forecast"]["exact"]);
  EXPECT_GT(json["forecast"]["most_sd_ratio"], 1);
  EXPECT_GT(json["forecast"]["rounds_for_1000"], 0);
}

TEST_F(PlanCommand, TheSummaryHasTheForecastOfItsStep) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(
      run({"run", "g.toml", "--out", "g", "--quiet", "--set", "sampler.name=lsd", "--set", "sampler.step=0.2"}).code,
      0);
  const Json summary = Json::parse(slurp("g/summary.json"));
  EXPECT_FALSE(summary["forecast"]["ok"]);
  EXPECT_EQ(summary["forecast"]["cause"], "the step size");
  EXPECT_LT(summary["forecast"]["step_within"], 0.2);
}

TEST_F(PlanCommand, WithoutAForecastItSaysWhy) {
  put("g.toml", kTinyGaussian);
  const Outcome plan = run({"plan", "g.toml", "--set", "sampler.name=d-elf", "--set", "sampler.k=1"});
  EXPECT_NE(plan.out.find("forecast         none: top-k"), std::string::npos) << plan.out;
}

TEST_F(PlanCommand, RecommendsASampler) {
  put("g.toml", kTinyGaussian);
  const Outcome plan = run({"plan", "g.toml", "--recommend", "--set", "network.preset=hospital"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  for (const char* piece : {"hospital: ", "  why   ", "  run   pollen run g.toml --set sampler.name=", "latency",
                            "left out", "top-k, whose error depends on the path"})
    EXPECT_NE(plan.out.find(piece), std::string::npos) << piece << plan.out;
  const Json json = Json::parse(run({"plan", "g.toml", "--recommend", "--within", "5", "--json"}).out);
  EXPECT_EQ(json["within"], 0.05);
  ASSERT_EQ(json["networks"].size(), 4u);
  for (const Json& network : json["networks"]) {
    EXPECT_EQ(network["recommended"], network["samplers"][0]["sampler"]);
    EXPECT_GT(network["samplers"][0]["per_effective_draw"]["seconds"], 0);
  }
  EXPECT_EQ(run({"plan", "g.toml", "--within", "5"}).code, 2);
  EXPECT_EQ(run({"plan", "g.toml", "--recommend", "--exact"}).code, 2);
}

TEST_F(PlanCommand, WithoutATheoremItSaysWhy) {
  put("g.toml", kTinyGaussian);
  const Outcome plan = run({"plan", "g.toml", "--set", "sampler.name=fa-ld", "--set", "sampler.communicate=0.5"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("no theorem covers this combination: random gaps"), std::string::npos) << plan.out;
}

TEST_F(PlanCommand, CompareShowsTheBoundBesideTheMeasurement) {
  put("g.toml", kTinyGaussian);
  put("exact.json", R"({"mean": [0.3, 3.0], "covariance": [[0.34, 0.0], [0.0, 0.17]]})");
  ASSERT_EQ(run({"run", "g.toml", "--out", "g", "--quiet", "--set", "sampler.step=0.01"}).code, 0);
  EXPECT_NE(run({"compare", "g", "exact.json"}).out.find("theorem: W2 <= "), std::string::npos);
  ASSERT_EQ(run({"run", "g.toml", "--out", "h", "--quiet", "--set", "sampler.step=0.1"}).code, 0);
  EXPECT_NE(run({"compare", "h", "exact.json"}).out.find("theorem: no bound on W2, step 0.1 is above"),
            std::string::npos);
}

TEST_F(PlanCommand, WrongInputIsRefused) {
  put("g.toml", kTinyGaussian);
  EXPECT_NE(run({"plan", "g.toml", "--set", "sampler.stepp=1"}).err.find("did you mean sampler.step?"),
            std::string::npos);
  for (const Words& words : {Words{"plan", "g.toml", "--set", "sampler.stepp=1"}, Words{"plan", "none.toml"},
                             Words{"plan", "g.toml", "--precision", "-1"},
                             Words{"plan", "g.toml", "--round-price", "3"}, Words{"plan", "g.toml", "--jsn"}})
    EXPECT_EQ(run(words).code, 2) << words.back();
}

}  // namespace
}  // namespace pollen
