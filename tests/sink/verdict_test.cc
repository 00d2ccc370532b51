// Tests the rules of the verdict: what a green one needs, and what leaves it open.
#include "sink/verdict.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "made_draws.h"

namespace pollen::sink {
namespace {

MadeDraws good() {
  MadeDraws made;
  for (const char* label : {"intercept", "age", "size"}) made.add(label);
  return made;
}

TEST(Verdict, IsGreenWithItsNumbersInWords) {
  MadeDraws made = good();
  made.facts.forecast = SamplingForecast{.most_ratio = 1.02, .widest = "a", .ok = true};
  const Verdict verdict = made.verdict();
  EXPECT_EQ(verdict.converged, true) << verdict_text(verdict, {});
  EXPECT_TRUE(verdict.reasons.empty());
  for (const char* piece : {"R-hat 1.00", "ESS 3,", "tail 3,", "all 3 parameters",
                            "; forecast: sds up to 2 % too wide (a), means up to 0.00"})
    EXPECT_NE(verdict.words.find(piece), std::string::npos) << verdict.words;
  EXPECT_EQ(verdict.words.find("not checked"), std::string::npos);
}

TEST(Verdict, SaysThatTheStepWasNotChecked) {
  MadeDraws made = good();
  EXPECT_NE(made.verdict().words.find("the error of the step was not checked"), std::string::npos);
  made.facts.exact = true;
  EXPECT_EQ(made.verdict().words.find("not checked"), std::string::npos);
}

TEST(Verdict, NeedsEveryCheck) {
  const auto with = [](const std::function<void(MadeDraws&)>& change) {
    MadeDraws made = good();
    change(made);
    return made.verdict();
  };
  EXPECT_EQ(with([](MadeDraws& m) {
              m.facts.forecast = SamplingForecast{.most_ratio = 1.2, .widest = "a", .ok = false};
            }).converged,
            false);
  EXPECT_EQ(with([](MadeDraws& m) { m.facts.status = RunStatus::interrupted; }).converged, false);
  EXPECT_EQ(with([](MadeDraws& m) { m.facts.status = RunStatus::failed; }).converged, false);
  for (const ChainTransitions& trouble :
       {ChainTransitions{100, 1, 0, 0.9}, ChainTransitions{100, 0, 3, 0.9}, ChainTransitions{100, 0, 0, 0.1}})
    EXPECT_EQ(with([&](MadeDraws& m) { m.facts.transitions = {10, {trouble}}; }).converged, false);
  EXPECT_EQ(with([](MadeDraws& m) { m.facts.transitions = {10, {{100, 0, 0, 0.9}}}; }).converged, true);
  EXPECT_EQ(with([](MadeDraws& m) { m.draws.values[1][7] = INFINITY; }).converged, false);
  EXPECT_EQ(with([](MadeDraws& m) { m.add("slow", 0.98); }).converged, false);
  EXPECT_EQ(with([](MadeDraws& m) {
              m.add("apart", 0, [](Index chain, Index, double z) { return z + 0.5 * static_cast<double>(chain); });
            }).converged,
            false);
}

TEST(Verdict, SaysHowFarTheForecastIsOff) {
  MadeDraws made = good();
  made.facts.forecast = SamplingForecast{.widest = "a", .bias = 0.4, .cause = "local steps"};
  EXPECT_TRUE(
      made.says("means up to 0.40 posterior sds off, where 3 % and 0.1 are accepted; the cause is local steps"));
  EXPECT_EQ(made.verdict().words.find("forecast"), std::string::npos) << "the reason says it";
  made.facts.forecast->most_ratio = 2;
  EXPECT_TRUE(made.says("sds up to 100 % too wide (a)"));
  made.facts.forecast->most_ratio = INFINITY;
  EXPECT_TRUE(made.says("forecast: near the mode the chain diverges at this step"));
}

TEST(Verdict, AKnownWrongLawIsNotGreen) {
  MadeDraws made = good();
  made.facts.warnings = {"fald does not sample the target: its temperature is 4 times too high", "something else"};
  EXPECT_EQ(made.verdict().converged, false);
  EXPECT_EQ(made.verdict().reasons, std::vector{made.facts.warnings[0]});
}

TEST(Verdict, ChainsThatAreNotFiniteDoNotAgree) {
  for (const bool others : {true, false}) {
    MadeDraws made = others ? good() : MadeDraws();
    made.add("x", 0, [](Index, Index i, double z) { return i == 5 ? INFINITY : z; });
    EXPECT_EQ(made.verdict().converged, false);
    EXPECT_EQ(made.verdict().words, "Not to be relied on.");
    EXPECT_TRUE(made.says("draws of x are not finite numbers"));
  }
}

TEST(Verdict, UnknownIsNeverGreen) {
  MadeDraws still = good();
  still.add("constant", 0, [](Index, Index, double) { return 2; });
  EXPECT_EQ(still.verdict().converged, std::nullopt);
  EXPECT_TRUE(still.says("R-hat and ESS of constant are unknown: the draws never move"));
  MadeDraws one(1000, 1);
  one.add("a");
  EXPECT_EQ(one.verdict().converged, std::nullopt);
  EXPECT_TRUE(one.says("one chain"));
  MadeDraws few(3);
  few.add("a");
  EXPECT_EQ(few.verdict().converged, std::nullopt);
  EXPECT_TRUE(few.says("too few draws"));
  still.add("slow", 0.98);
  EXPECT_EQ(still.verdict().converged, false) << "what is known to be wrong outweighs what is unknown";
}

TEST(Verdict, OtherStatesAreNotJudgedByRHat) {
  for (const States states : {States::weights, States::estimates, States::iterates}) {
    MadeDraws made = good();
    made.add("apart", 0.9, [](Index chain, Index, double z) { return z + 9 * static_cast<double>(chain); });
    made.facts.states = states;
    const Verdict verdict = made.verdict();
    EXPECT_EQ(verdict.converged, std::nullopt) << name_of(states);
    EXPECT_NE(verdict.words.find("R-hat does not apply"), std::string::npos);
    EXPECT_TRUE(verdict.reasons.empty()) << verdict.reasons[0];
    made.facts.status = RunStatus::failed;
    made.facts.failure = "chain 2 exploded";
    EXPECT_EQ(made.verdict().converged, false);
    EXPECT_TRUE(made.says("chain 2 exploded"));
  }
}

TEST(Verdict, EstimatesMustSettle) {
  MadeDraws made = good();
  made.add("moving", 0, [](Index, Index i, double z) { return 1 + 1e-3 * static_cast<double>(i) + 0.01 * z; });
  made.facts.states = States::estimates;
  made.facts.identified = {3};
  EXPECT_EQ(made.verdict().converged, std::nullopt);
  EXPECT_TRUE(made.says("have not settled"));
}

TEST(Verdict, NoDrawIsNoVerdict) {
  const Verdict verdict = judge(RunFacts(), {}, nullptr);
  EXPECT_EQ(verdict.converged, std::nullopt);
  EXPECT_EQ(verdict.words, "No verdict: no draw was kept.");
}

TEST(Verdict, IsStoredAndHoldsForTheSameDrawsOnly) {
  const MadeDraws made = good();
  StoredSummary stored;
  stored.labels = made.facts.labels;
  stored.parameters = made.parameters();
  stored.verdict = Verdict{false, "as it was stored", {"a reason"}};
  EXPECT_EQ(verdict_of(stored, made.parameters(), made.facts.labels, &made.draws), *stored.verdict);
  stored.parameters[0].mean += 1e-9;
  EXPECT_EQ(verdict_of(stored, made.parameters(), made.facts.labels, &made.draws).converged, true);
  EXPECT_EQ(verdict_of({}, made.parameters(), made.facts.labels, &made.draws).converged, true) << "another program's";
}

TEST(Verdict, TextAndJsonHaveTheReasonsOnce) {
  const Verdict verdict{false, "Not \xff good.", {"b", "a"}};
  EXPECT_EQ(verdict_text(verdict, {"a", "c"}), "  verdict: Not \xff good.\n    - b\n    - a\n  warning: c\n");
  const auto json = nlohmann::json::parse(to_json(verdict));
  EXPECT_EQ(json["converged"], false);
  EXPECT_EQ(json["reasons"], nlohmann::json({"b", "a"}));
  EXPECT_TRUE(nlohmann::json::parse(to_json(Verdict()))["converged"].is_null());
}

}  // namespace
}  // namespace pollen::sink
