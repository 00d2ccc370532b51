// Tests a whole plan, as text and as JSON.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cases.h"
#include "pollen/errors.h"

namespace pollen::plan {
namespace {

PlanInput input_of(const Case& one) {
  PlanInput input{.constants = mixed_constants(), .method = one.method, .messages = {.up_bits = 40, .down_bits = 320}};
  if (one.method.down_feedback)
    for (ClientConstants& client : input.constants.clients) client.omega = 0;
  input.precision = 5;
  return input;
}

TEST(Plan, EveryTheoremFillsIt) {
  for (const Case& one : all_cases()) {
    const Plan plan = make_plan(input_of(one));
    EXPECT_EQ(plan.theorem, one.theorem) << one.name;
    ASSERT_TRUE(plan.bound && plan.reach) << one.name;
    double sum = 0;
    for (const Term& term : plan.bound->terms) sum += term.square;
    EXPECT_NEAR(sum / (plan.bound->w2 * plan.bound->w2), 1, 1e-9) << one.name;
    EXPECT_DOUBLE_EQ(plan.heterogeneity, 20.0 / 3);
    EXPECT_EQ(plan.bound->kl.has_value(), one.name.ends_with("elf")) << one.name;
    const std::string text = to_text(plan);
    for (const char* word : {"admissible step", "discretisation", "heterogeneity", "rounds"})
      EXPECT_NE(text.find(word), std::string::npos) << one.name;
    const auto json = nlohmann::json::parse(to_json(plan));
    EXPECT_DOUBLE_EQ(json["step"], plan.step);
    EXPECT_DOUBLE_EQ(json["bound"]["w2"], plan.bound->w2);
    EXPECT_EQ(json["bound"]["terms_w2_squared"].size(), 7U);
  }
}

TEST(Plan, CountsWhatIsSent) {
  PlanInput input = input_of(all_cases()[0]);  // three clients, p = 0.6
  Traffic t = traffic(input, 1000);
  EXPECT_DOUBLE_EQ(t.rounds, 1000);
  EXPECT_NEAR(t.up_bits, 1000 * 1.8 * 40, 1e-6);
  EXPECT_NEAR(t.down_bits, 1000 * 1.8 * 320, 1e-6);
  input = input_of(all_cases()[7]);  // vr-fald* with p_c = 0.4, q_c = 0.2 and N/n = 5, 8, 2
  t = traffic(input, 1000);
  EXPECT_NEAR(t.rounds, 800, 1e-9);
  EXPECT_NEAR(t.gradients, 1000 * (2 + 0.2 * 5), 1e-9);
  EXPECT_NEAR(t.up_bits, 400 * 3 * 40 + 400 * 3 * 320, 1e-6);  // refreshes send plain words
  input = input_of(all_cases()[8]);                            // fa-ld with K = 4; two of three send, all receive
  t = traffic(input, 1000);
  EXPECT_NEAR(t.rounds, 250, 1e-9);
  EXPECT_NEAR(t.up_bits, 250 * 2 * 40, 1e-6);
  EXPECT_NEAR(t.down_bits, 250 * 3 * 320, 1e-6);
}

TEST(Plan, SaysWhereATheoremIsSilent) {
  PlanInput input = input_of(all_cases()[0]);
  input.step = 1;
  Plan plan = make_plan(input);
  EXPECT_FALSE(plan.bound);
  ASSERT_EQ(plan.warnings.size(), 1U);
  EXPECT_NE(plan.warnings[0].find("above the admissible step"), std::string::npos);
  input.method.memory = Memory::average;
  plan = make_plan(input);
  EXPECT_FALSE(plan.theorem);
  EXPECT_NE(to_text(plan).find("no theorem covers this combination"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(to_json(plan))["theorem"].is_null());
}

TEST(Plan, WarnsOfWhatItCannotPromise) {
  PlanInput input = input_of(all_cases()[2]);
  input.method.memory_rate = 0.9;
  EXPECT_NE(to_text(make_plan(input)).find("memory_rate"), std::string::npos);
  input = input_of(all_cases().back());
  input.precision = 1e-6;
  const Plan plan = make_plan(input);
  EXPECT_FALSE(plan.reach->reached);
  EXPECT_NE(to_text(plan).find("out of the bound's reach"), std::string::npos);
  EXPECT_GT(nlohmann::json::parse(to_json(plan))["precision"]["floor"], 0);
}

TEST(Plan, RefusesConstantsThatAreNone) {
  PlanInput input = input_of(all_cases()[0]);
  input.constants.convexity = 100;  // impossible, because it is above L
  EXPECT_THROW(make_plan(input), ConfigError);
  input = input_of(all_cases()[0]);
  input.constants.clients[1].gradient = std::nan("");
  EXPECT_THROW(make_plan(input), ConfigError);
  input.constants.clients.clear();
  EXPECT_THROW(make_plan(input), ConfigError);
}

}  // namespace
}  // namespace pollen::plan
