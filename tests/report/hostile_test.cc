// Tests files from outside that are odd, broken or malicious.
#include <gmock/gmock.h>

#include "fixtures.h"
#include "pollen/errors.h"

namespace pollen::report {
namespace {

class Hostile : public RunsTest {
 protected:
  void expect_refused(const std::vector<std::string>& folders, const std::string& where, const std::string& what) {
    try {
      report_data(folders, 1);
      FAIL() << "accepted; expected " << where << ": " << what;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.problems().front().where, testing::HasSubstr(where));
      EXPECT_THAT(error.problems().front().what, testing::HasSubstr(what));
    }
  }
};

TEST_F(Hostile, NothingEndsTheScriptElement) {
  put_draws("a", 1, 20, {"</script><script>alert(1)</script>", "<!--", "x&y"});
  put("a/config.toml", "# </SCRIPT >\n");
  const std::string json = report_data({path("a")}, 1);
  EXPECT_EQ(json.find('<'), std::string::npos);
  const auto run = nlohmann::json::parse(json)["runs"][0];
  EXPECT_EQ(run["parameters"][0]["label"], "</script><script>alert(1)</script>");
  EXPECT_EQ(run["config"], "# </SCRIPT >\n");
}

TEST_F(Hostile, BytesThatAreNoTextBecomeMarks) {
  put("a/draws-1.csv", "a\xff\xfe,b\n1,2\n2,3\n");
  EXPECT_EQ(data({path("a")})["runs"][0]["parameters"][0]["label"], "a\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_F(Hostile, FoldersThatHoldNoRun) {
  expect_refused({path("none")}, "none", "found no such folder");
  std::filesystem::create_directories(path("empty"));
  expect_refused({path("empty")}, "empty", "found no draws and no summary.json");
  put("names/draws-1.csv", "a,b\n");
  expect_refused({path("names")}, "names", "found no draws in its files");
  put_draws("a", 1, 5, {"x"});
  expect_refused({path("a"), path("a")}, "/a", "found twice");
}

TEST_F(Hostile, SummariesThatAreNone) {
  put_draws("a", 1, 20, {"x"});
  for (const char* text :
       {"", "[]", "{", "null", "\"x\"", "{\"parameters\": 3}", "{\"parameters\": [], \"sampler\": 1}",
        "{\"parameters\": [], \"sampler\": \"q\", \"status\": []}", "{\"parameters\": [{}], \"sampler\": \"q\"}",
        "{\"parameters\": [], \"sampler\": \"q\", \"states\": null}"}) {
    put("a/summary.json", text);
    expect_refused({path("a")}, "summary.json", "accepted: summary.json as a run writes it");
  }
}

TEST_F(Hostile, PartsOfASummaryOfAnotherShapeAreLeftOut) {
  put_draws("a", 1, 20, {"x"});
  put("a/summary.json",
      R"({"sampler": "q", "model": "m", "chains": 9, "draws_per_chain": 9, "parameters": [], "warnings": [],
          "communication": [], "metrics": 3, "clients": "x", "reliability": {"a": 1}, "confidence": 7, "ood": [],
          "privacy": 1, "network": null, "setup": [], "work": "w", "notes": 5, "statement": 4, "target": "t",
          "event": [1], "scored": 3, "trajectories": [], "auc": [], "calibration": 7,
          "predictive_check": {"groups": [3], "clients": "x"},
          "effects": {"of": ["<z>"], "pooled": 3, "clients": [5, {"name": 1, "estimate": "many"}]}})");
  const auto run = data({path("a")})["runs"][0];
  EXPECT_TRUE(run["communication"].is_null());
  EXPECT_TRUE(run["privacy"].is_null());
  EXPECT_EQ(run["scores"].size(), 0u);
  EXPECT_EQ(run["facts"]["statement"], "");
  EXPECT_TRUE(run["auc"].is_null());
  EXPECT_TRUE(run["check"]["groups"][0]["observed"].is_null());
  EXPECT_TRUE(run["effects"]["clients"][1]["estimate"][0].is_null());
  EXPECT_EQ(run["facts"]["draws"], 20);
}

TEST_F(Hostile, ClientTablesMustHaveTheirShape) {
  put_draws("a", 1, 20, {"x"});
  for (
      const char* text :
      {R"({"participation": 1})", R"({"participation": {"groups": ["a"], "bin_ends": [1]}})",
       R"({"participation": {"groups": ["a"], "clients": [1], "chains": 1, "bin_ends": [5], "rounds": [5], "messages": [[1, 2]]}})",
       R"({"participation": {"groups": [1], "clients": [1], "chains": 1, "bin_ends": [5], "rounds": [5], "messages": [[1]]}})",
       R"({"labels": {"groups": ["a"], "labels": ["u"], "counts": [[-1]]}})", R"({"labels": {"groups": ["a"]}})"}) {
    put("a/clients.json", text);
    expect_refused({path("a")}, "clients.json", "lists of different lengths");
  }
  put("a/clients.json",
      R"({"participation": {"groups": ["a"], "clients": [1], "chains": 1, "bin_ends": [5], "rounds": [5], "messages": [[3]]},
          "labels": {"groups": ["a"], "labels": ["<b>"], "counts": [[4]]}})");
  const auto run = data({path("a")})["runs"][0];
  EXPECT_EQ(run["participation"]["messages"][0][0], 3);
  EXPECT_EQ(run["heterogeneity"]["labels"][0], "<b>");
}

TEST_F(Hostile, MetricsThatAreBrokenAreNamed) {
  put_draws("a", 1, 20, {"x"});
  put("a/metrics.csv", "round,ece\n1,zero\n");
  expect_refused({path("a")}, "metrics.csv: row 2", "column ece");
}

}  // namespace
}  // namespace pollen::report
