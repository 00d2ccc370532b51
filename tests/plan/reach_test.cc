// Tests the search for a precision and for local steps.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.h"
#include "plan/search.h"

namespace pollen::plan {
namespace {

TEST(Search, FindsEdgesAndMinima) {
  EXPECT_NEAR(largest(1e-9, 1e3, [](double x) { return x < 0.37; }), 0.37, 1e-8);
  EXPECT_EQ(largest(1e-9, 5, [](double) { return true; }), 5);
  EXPECT_NEAR(lowest(1e-6, 1e6, 12, [](double x) { return x + 9 / x; }), 3, 1e-2);
  EXPECT_EQ(lowest(1e-3, 1, 7, [](double x) { return -x; }), 1);
}

TEST(Reach, GetsThereAndNotEarlier) {
  for (const Case& one : all_cases()) {
    if (one.name == "fa-ld") continue;  // it has a floor, which a test below covers
    const Guarantee g = guarantee(one.theorem, mixed_constants(), one.method);
    const double precision = 0.3 * std::sqrt(g.limit(g.step()));
    const Reach r = reach(g, precision);
    ASSERT_TRUE(r.reached) << one.name;
    EXPECT_LE(r.step, g.step()) << one.name;
    EXPECT_LE(g.after(r.step, r.iterations), precision * precision) << one.name;
    EXPECT_GT(g.after(r.step, std::floor(0.999 * r.iterations) - 1), precision * precision) << one.name;
    // No other step reaches it in fewer iterations.
    for (const double part : {0.2, 0.5, 0.8, 1.25}) {
      const double other = std::min(r.step * part, g.step());
      EXPECT_GT(g.after(other, std::floor(0.998 * r.iterations)), precision * precision) << one.name << part;
    }
  }
}

TEST(Reach, FinerCostsMore) {
  for (const Case& one : all_cases()) {
    if (one.name == "fa-ld") continue;
    const Guarantee g = guarantee(one.theorem, mixed_constants(), one.method);
    const double at = std::sqrt(g.limit(g.step()));
    EXPECT_GT(reach(g, 0.05 * at).iterations, 2 * reach(g, 0.2 * at).iterations) << one.name;
  }
}

// The last term of FA-LD's Theorem 5.10 does not shrink with the step: (4 C_K/(S m)) d(ρ² + b(1-ρ²)) C_S, C_K → 2.
TEST(Reach, PartialDeviceHasAFloor) {
  const Case partial = all_cases().back();
  const Guarantee g = guarantee(partial.theorem, mixed_constants(), partial.method);
  const Reach r = reach(g, 1e-3);
  EXPECT_FALSE(r.reached);
  const double m = 2.5 * 3;
  EXPECT_NEAR(r.floor * r.floor / (8.0 / (2 * m) * 5 * (0.3 + 3 * 0.7) * 0.5), 1, 1e-3);
  EXPECT_TRUE(reach(g, 2 * r.floor).reached);
}

TEST(LocalSteps, DearRoundsAreFewer) {
  for (const Averaging& how :
       {Averaging{.communicate = 0.5}, Averaging{.random = false, .steps = 2, .common = 1, .by_size = true}}) {
    PlanInput input{.constants = mixed_constants(), .method = averaging_method(how)};
    const Theorem theorem = how.random ? Theorem::fald : Theorem::fa_ld;
    input.precision = 0.5 * std::sqrt(guarantee(theorem, input.constants, input.method).limit(1e-4));
    double rounds = 1e300, gradients = 0;
    for (const double price : {0.0, 10.0, 1e4}) {
      input.round_price = price;
      const auto choice = best_local_steps(theorem, input);
      ASSERT_TRUE(choice && choice->reach.reached);
      EXPECT_LE(choice->cost, choice->cost_now * (1 + 1e-3));
      EXPECT_LE(choice->reach.traffic.rounds, rounds * 1.001);
      EXPECT_GE(choice->reach.traffic.gradients, gradients * 0.999);
      rounds = choice->reach.traffic.rounds;
      gradients = choice->reach.traffic.gradients;
      // Scenario B of FALD has free rounds, so there is one after every step.
      if (price == 0) {
        EXPECT_NEAR(choice->value, 1, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace pollen::plan
