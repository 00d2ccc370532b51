// Tests how many rounds a privacy budget allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "inputs.h"
#include "privacy/composition.h"

namespace pollen {
namespace {

TEST(Largest, EveryAnswerAndLimit) {
  for (Index limit = 0; limit <= 40; ++limit)
    for (Index answer = 0; answer <= 45; ++answer) {
      const Index found = privacy::largest(limit, [&](Index n) { return n <= answer; });
      EXPECT_EQ(found, std::min(limit, answer));
    }
  const Index top = std::numeric_limits<Index>::max();
  EXPECT_EQ(privacy::largest(top, [](Index) { return true; }), top);
  EXPECT_EQ(privacy::largest(top, [](Index n) { return n <= 1234567890123; }), 1234567890123);
}

TEST(TheoremRounds, TheNextRoundIsTooMuch) {
  for (const PrivacyScheme scheme : {PrivacyScheme::full, PrivacyScheme::one, PrivacyScheme::two})
    for (const Adversary adversary : {Adversary::server, Adversary::outside})
      for (const double target : {3.0, 20.0, 300.0}) {
        PrivacyInputs in = four_clients();
        in.scheme = scheme;
        in.adversary = adversary;
        const Index rounds = theorem_rounds(in, target, 1000000);
        ASSERT_GE(rounds, 1);
        ASSERT_LT(rounds, 1000000);
        EXPECT_LE(*theorem_account(in, rounds).epsilon, target);
        EXPECT_GT(*theorem_account(in, rounds + 1).epsilon, target);
      }
}

// The condition on the step can end a run before ε does, because δ_0 shrinks with E until the bound passes the step.
TEST(TheoremRounds, TheStepBoundEndsIt) {
  PrivacyInputs in = four_clients();
  in.step = 8e-5;
  const Index rounds = theorem_rounds(in, 1e300, 1000000);
  ASSERT_GE(rounds, 1);
  ASSERT_LT(rounds, 1000000);
  EXPECT_TRUE(theorem_account(in, rounds).epsilon);
  const PrivacyAccount next = theorem_account(in, rounds + 1);
  EXPECT_FALSE(next.epsilon);
  EXPECT_GT(in.step, next.step_bound);
}

TEST(TheoremRounds, NoneAndAll) {
  EXPECT_EQ(theorem_rounds(four_clients(), 1e-9, 100), 0);
  EXPECT_EQ(theorem_rounds(four_clients(), 1e9, 100), 100);
}

TEST(RenyiSteps, TheNextStepIsTooMuch) {
  const RenyiCurve curve = renyi_curve(four_clients());
  for (const double target : {0.5, 3.0, 20.0}) {
    const Index steps = renyi_steps(curve, 1e-5, target, 100000000);
    ASSERT_GE(steps, 1);
    ASSERT_LT(steps, 100000000);
    EXPECT_LE(*renyi_account(curve, steps, 1e-5).epsilon, target);
    EXPECT_GT(*renyi_account(curve, steps + 1, 1e-5).epsilon, target);
  }
}

}  // namespace
}  // namespace pollen
