#include "fixtures.h"
#include "pollen/errors.h"

namespace pollen::report {
namespace {

class Gather : public RunsTest {};

std::size_t values_of(const nlohmann::json& block) {
  std::size_t count = 1;
  for (const auto& size : block["shape"]) count *= size.get<std::size_t>();
  return count;
}

TEST_F(Gather, AFolderOfCsvFilesIsEnough) {
  put_draws("a", 4, 500, thetas(3));
  const auto run = data({path("a")})["runs"][0];
  EXPECT_EQ(run["name"], path("a"));
  EXPECT_EQ(run["parameters"].size(), 3u);
  EXPECT_EQ(run["facts"]["chains"], 4);
  EXPECT_EQ(run["facts"]["draws"], 500);
  EXPECT_TRUE(run["communication"].is_null());
  EXPECT_TRUE(run["metrics"].is_null());
  const auto& plots = run["plots"];
  EXPECT_EQ(plots["trace"]["shape"], (std::vector<int>{3, 4, 500}));
  EXPECT_EQ(plots["every"], 1);
  EXPECT_EQ(plots["density"]["shape"][1], 5);
  EXPECT_EQ(plots["ranks"]["shape"][0], 3);
  EXPECT_EQ(plots["lags"][0], 0);
  EXPECT_NEAR(run["parameters"][1]["mean"].get<double>(), 1.5, 0.05);
}

TEST_F(Gather, TheVerdictSaysWhy) {
  put_draws("good", 4, 1000, thetas(2));
  EXPECT_EQ(data({path("good")})["runs"][0]["verdict"]["converged"], true);
  put_draws("bad", 2, 1000, thetas(1));
  std::string apart = "theta.1\n";
  for (int i = 0; i < 1000; ++i) apart += fmt::format("{}\n", 40 + value(0, i, 0));
  put("bad/draws-2.csv", apart);
  put(
      "bad/draws-1.csv", "theta.1\n" + [] {
        std::string text;
        for (int i = 0; i < 1000; ++i) text += fmt::format("{}\n", value(1, i, 0));
        return text;
      }());
  const auto verdict = data({path("bad")})["runs"][0]["verdict"];
  EXPECT_EQ(verdict["converged"], false);
  EXPECT_NE(verdict["reasons"].dump().find("R-hat above 1.01"), std::string::npos) << verdict;
}

TEST_F(Gather, TheReferenceStandsLast) {
  for (const char* name : {"a", "b", "c"}) put_draws(name, 2, 20, thetas(1));
  EXPECT_EQ(data({path("a")})["reference"], 0);
  const auto three = data({path("a"), path("b"), path("c")});
  EXPECT_EQ(three["reference"], 2);
  EXPECT_EQ(three["runs"][2]["name"], path("c"));
}

// The command promises a page below 3 MB (the page itself has about 0.1 MB).
TEST_F(Gather, FiftyParametersStayBelowThreeMegabytes) {
  put_draws("a", 4, 2000, thetas(50));
  const std::string json = report_data({path("a")}, 2);
  EXPECT_LT(json.size(), 2'800'000u);
  EXPECT_EQ(nlohmann::json::parse(json)["runs"][0]["plots"]["trace"]["shape"], (std::vector<int>{50, 4, 2000}));
}

TEST_F(Gather, ManyParametersAreThinnedToTheSameSize) {
  put_draws("a", 4, 1000, thetas(200));
  const std::string json = report_data({path("a")}, 2);
  EXPECT_LT(json.size(), 2'900'000u);
  const auto run = nlohmann::json::parse(json)["runs"][0];
  EXPECT_EQ(run["plots"]["rows"].size(), 200u);
  EXPECT_EQ(run["plots"]["draws"], 1000);
  EXPECT_GT(run["plots"]["every"].get<int>(), 1);
  EXPECT_LE(values_of(run["plots"]["trace"]), 700'000u);
}

TEST_F(Gather, MoreParametersThanThePageHasRoomForAreChosenAndSaid) {
  put_draws("a", 2, 12, thetas(2500));
  const auto run = data({path("a")})["runs"][0];
  EXPECT_EQ(run["parametersInAll"], 2500);
  EXPECT_EQ(run["parameters"].size(), 2000u);
  EXPECT_LE(run["plots"]["rows"].size(), 300u);
  for (const auto& row : run["plots"]["rows"]) EXPECT_LT(row.get<std::size_t>(), 2000u);
  EXPECT_NE(run["notes"].dump().find("2,000 of 2,500"), std::string::npos) << run["notes"];
}

TEST_F(Gather, SeveralRunsShareThePage) {
  put_draws("a", 4, 2000, thetas(50));
  put_draws("b", 4, 2000, thetas(50), 0.1);
  const std::string json = report_data({path("a"), path("b")}, 2);
  EXPECT_LT(json.size(), 2'900'000u);
  const auto runs = nlohmann::json::parse(json)["runs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1]["name"], path("b"));
  EXPECT_NEAR(runs[1]["parameters"][0]["mean"].get<double>() - runs[0]["parameters"][0]["mean"].get<double>(), 0.1,
              1e-6);
}

TEST_F(Gather, OneDrawAndConstantsAreShown) {
  put("a/draws-1.csv", "x,y\n1,nan\n");
  const auto one = data({path("a")})["runs"][0];
  EXPECT_TRUE(one["parameters"][0]["rhat"].is_null());
  EXPECT_EQ(one["verdict"]["converged"], false) << "y is not a number";
  put("b/draws-1.csv", "x\n" + std::string("2\n2\n2\n2\n2\n2\n2\n2\n"));
  EXPECT_EQ(data({path("b")})["runs"][0]["plots"]["trace"]["low"][0], 2.0);
}

// A summary of one parameter x, as a run writes it, with more parts.
std::string summary_with(const std::string& parts, const std::string& states = "draws") {
  const std::string mean = states == "estimates" ? "estimate" : "mean", sd = states == "estimates" ? "se" : "sd";
  return fmt::format(
      R"({{"version": "1", "sampler": "q", "model": "m", "seed": 1, "chains": 2, "draws_per_chain": 9, "states": "{}",
          "parameters": [{{"name": "theta.1", "label": "x", "{}": 0.5, "mcse": 0.01, "{}": 1, "q5": 0, "q50": 0.5,
          "q95": 1, "ess_bulk": 900, "ess_tail": 900, "rhat": 1.0, "ratio": 1.6}}], "warnings": []{}}})",
      states, mean, sd, parts);
}

TEST_F(Gather, WhatAStatisticianAsksForIsThere) {
  put("a/summary.json", summary_with(R"(, "statement": "Logistic regression of ill.",
      "target": {"name": "ill", "units": "coefficients of ill", "ratio": "odds ratio"},
      "event": {"target": "ill", "level": "yes"}, "scored": {"on": "training", "rows": 5, "in_all": 6},
      "trajectories": [{"transitions": 10, "divergent": 1, "saturated": null, "ebfmi": 0.9}],
      "auc": {"value": 0.7, "lower": null, "upper": null, "rows": 5, "events": 2},
      "calibration": [{"predicted": 0.2, "observed": 0.3, "lower": 0.1, "upper": 0.5, "rows": 5}],
      "predictive_check": {"words": "Fine.", "on": "test", "rows": 5, "in_all": 5, "draws": 100,
        "groups": [{"above": null, "up_to": 3, "rows": 5, "observed": 0.2, "predicted": 0.3, "lower": 0.1, "upper": 0.4}],
        "clients": []},
      "effects": {"of": ["intercept"], "pooled": [{"label": "mu", "estimate": 1, "lower": 0, "upper": 2}],
        "clients": [{"name": "a", "estimate": [1], "lower": [0], "upper": [2]}, {"name": "b"}]})"));
  const auto run = data({path("a")})["runs"][0];
  EXPECT_EQ(run["facts"]["statement"], "Logistic regression of ill.");
  EXPECT_EQ(run["facts"]["event"], "ill = yes");
  EXPECT_EQ(run["facts"]["ratio"], "odds ratio");
  EXPECT_NEAR(run["parameters"][0]["ratio"][2].get<double>(), std::exp(1.0), 1e-8);
  EXPECT_EQ(run["scored"]["training"], true);
  EXPECT_EQ(run["scored"]["inAll"], 6);
  EXPECT_TRUE(run["trajectories"][0]["saturated"].is_null());
  EXPECT_EQ(run["auc"]["events"], 2);
  EXPECT_EQ(run["calibration"][0]["upper"], 0.5);
  EXPECT_EQ(run["check"]["words"], "Fine.");
  EXPECT_EQ(run["check"]["groups"][0]["upTo"], 3);
  EXPECT_EQ(run["effects"]["pooled"][0]["label"], "mu");
  EXPECT_TRUE(run["effects"]["clients"][1]["estimate"][0].is_null());
}

TEST_F(Gather, AgreementWithTheReferenceIsInWords) {
  put_draws("a", 2, 200, {"x", "y"}, 5);
  put_draws("b", 2, 200, {"x", "z"});
  const auto runs = data({path("a"), path("b")})["runs"];
  EXPECT_EQ(runs[0]["agreement"].get<std::string>().find("the posteriors differ: the means differ"), 0u) << runs[0];
  EXPECT_EQ(runs[1]["agreement"], "");
  put("c/summary.json", summary_with(R"(, "metrics": {"accuracy": 0.91})", "weights"));
  put("d/summary.json", summary_with(R"(, "metrics": {"accuracy": 0.93})", "weights"));
  const std::string words = data({path("c"), path("d")})["runs"][0]["agreement"];
  EXPECT_NE(words.find("weights are not compared"), std::string::npos) << words;
  EXPECT_NE(words.find("accuracy 0.910 and 0.930"), std::string::npos) << words;
}

TEST_F(Gather, ThePageHasTheDataInTheirPlace) {
  EXPECT_EQ(fill_page("<script>@POLLEN_REPORT_DATA@</script>", "{\"a\": \"$&\"}"), "<script>{\"a\": \"$&\"}</script>");
  EXPECT_THROW(fill_page("<script></script>", "{}"), IoError);
}

}  // namespace
}  // namespace pollen::report
