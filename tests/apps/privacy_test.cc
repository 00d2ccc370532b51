#include <nlohmann/json.hpp>

#include "program.h"
#include "support/private_run.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

const std::string kPrivate = std::string(testing::kPrivateRun) + "target_epsilon = 10.0\n";

class PrivacyOfTheProgram : public ProgramTest {
 protected:
  Json privacy(const std::string& folder) const { return Json::parse(slurp(folder + "/summary.json"))["privacy"]; }
};

TEST_F(PrivacyOfTheProgram, ARunStopsWhenItsBudgetIsSpent) {
  put("a.toml", kPrivate);
  const Outcome run_a = run({"run", "a.toml", "--out", "a", "--quiet"});
  ASSERT_EQ(run_a.code, 0) << run_a.err;
  const Json p = privacy("a");
  EXPECT_LE(p["epsilon"], 10.0);
  EXPECT_GT(p["epsilon"], 9.5);
  EXPECT_LT(p["renyi_epsilon"], p["epsilon"]);
  EXPECT_EQ(p["why"], "");
  EXPECT_EQ(p["spent_at_round"], p["rounds"]);
  EXPECT_NE(run_a.out.find("spent after round " + p["rounds"].dump()), std::string::npos) << run_a.out;
  EXPECT_NE(run_a.out.find("(Theorem G.3)"), std::string::npos);
  EXPECT_EQ(slurp("a/metrics.csv").substr(0, 73),
            "round,uplink_bits,downlink_bits,gradients,seconds,epsilon,epsilon_renyi,a");
  EXPECT_NE(run({"run", "a.toml", "--out", "a", "--resume"}).err.find("is complete"), std::string::npos);
  ASSERT_EQ(run({"run", "a/config.toml", "--out", "b", "--quiet"}).code, 0);
  EXPECT_EQ(slurp("a/draws-1.csv"), slurp("b/draws-1.csv"));
}

TEST_F(PrivacyOfTheProgram, ThePlanSaysHowLongTheBudgetLasts) {
  put("a.toml", kPrivate);
  const Outcome plan = run({"plan", "a.toml", "--json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  const Json planned = Json::parse(plan.out)["privacy"];
  EXPECT_EQ(planned["target_epsilon"], 10.0);
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet"}).code, 0);
  EXPECT_EQ(planned["budget_iterations"].get<int>(), 5 * privacy("a")["rounds"].get<int>());
  EXPECT_NE(run({"plan", "a.toml"}).out.find("iterations of every chain"), std::string::npos);
  EXPECT_NE(run({"plan", "a.toml", "--set", "privacy.target_epsilon=1e6"}).out.find("lasts for the whole run"),
            std::string::npos);
}

TEST_F(PrivacyOfTheProgram, WarnGoesOn) {
  put("a.toml", kPrivate);
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet", "--set", "privacy.on_spent=warn"}).code, 0);
  const Json p = privacy("a");
  EXPECT_GT(p["epsilon"], 10.0);
  EXPECT_LT(p["spent_at_round"], p["rounds"]);
}

TEST_F(PrivacyOfTheProgram, NoNumberWithoutItsAssumptions) {
  put("a.toml", kPrivate);
  const Outcome refused = run({"run", "a.toml", "--out", "a", "--set", "output.lp=true"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("privacy.accept"), std::string::npos) << refused.err;
  EXPECT_FALSE(exists("a"));
  ASSERT_EQ(
      run({"run", "a.toml", "--out", "a", "--quiet", "--set", "output.lp=true", "--set", "privacy.on_spent=warn"}).code,
      0);
  EXPECT_TRUE(privacy("a")["epsilon"].is_null());
  EXPECT_NE(privacy("a")["why"].get<std::string>().find("output.lp"), std::string::npos);
}

TEST_F(PrivacyOfTheProgram, WithoutTheSectionNothingIsAsked) {
  put("l.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "l.toml", "--out", "l", "--quiet"}).code, 0);
  EXPECT_TRUE(privacy("l")["epsilon"].is_null());
  EXPECT_FALSE(privacy("l").contains("renyi_epsilon"));
  EXPECT_EQ(slurp("l/metrics.csv").find("epsilon"), std::string::npos);
  EXPECT_EQ(slurp("l/config.toml").find("[privacy]"), std::string::npos);
}

}  // namespace
}  // namespace pollen
