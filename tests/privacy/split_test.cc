// Tests the split of one δ into three: the sum never exceeds it, and if both terms can be δ/3, they are.
#include <gtest/gtest.h>

#include <cmath>

#include "inputs.h"
#include "privacy/scheme_one.h"

namespace pollen {
namespace {

// Tries scheme I over S, q, E, δ and step sizes from harmless to hopeless. Large γ² p of the rates satisfy the
// condition on the step, which the split does not use.
TEST(Split, SchemeOneSumsToAtMostDelta) {
  int numbers = 0;
  for (const Index drawn : {1, 2, 3, 7, 20, 100})
    for (const double q : {0.01, 0.1, 0.5, 1.0})
      for (const Index rounds : {1, 100, 1000000})
        for (const double delta : {1e-12, 1e-5, 0.1, 0.9})
          for (const double step : {1e-12, 1e-6, 1e-3, 1.0}) {
            PrivacyInputs in = four_clients();
            in.scheme = PrivacyScheme::one;
            in.adversary = Adversary::outside;
            in.drawn = drawn;
            in.delta = delta;
            in.step = step;
            in.clients.max_share = q;
            in.clients.min_rate_squared_share = 1e30;
            const PrivacyAccount a = theorem_account(in, rounds);
            ASSERT_TRUE(a.epsilon) << drawn << " " << q << " " << rounds << " " << delta << " " << step << " "
                                   << a.why[0];
            EXPECT_LE(*a.delta, delta);
            EXPECT_GT(*a.delta, delta / 3);
            ++numbers;
          }
  EXPECT_EQ(numbers, 6 * 4 * 3 * 4 * 4);
}

TEST(Split, SchemeOneTermsAreAThird) {
  for (const Index drawn : {1, 2, 5, 20}) {
    PrivacyInputs in = four_clients();
    in.scheme = PrivacyScheme::one;
    in.adversary = Adversary::outside;
    in.drawn = drawn;
    in.clients.min_rate_squared_share = 1e30;
    const PrivacyAccount a = theorem_account(in, 50);
    const privacy::SchemeOne scheme(drawn, 0.25, 10);
    EXPECT_NEAR(50 * scheme.part_0(a.epsilon_k, std::log(1.25) - a.log_delta_0), 1e-6, 1e-14) << drawn;
    EXPECT_NEAR(50 * scheme.part_1(a.epsilon_k, a.delta_1), 1e-6, 1e-14) << drawn;
  }
}

// With S = 1 a client is drawn once or not at all, which is scheme II with the same probability.
TEST(Split, OneDrawIsSchemeTwo) {
  PrivacyInputs in = four_clients();
  in.adversary = Adversary::outside;
  in.drawn = 1;
  in.scheme = PrivacyScheme::one;
  const PrivacyAccount one = theorem_account(in, 50);
  in.scheme = PrivacyScheme::two;
  const PrivacyAccount two = theorem_account(in, 50);
  EXPECT_NEAR(*one.epsilon / *two.epsilon, 1, 1e-9);
  EXPECT_NEAR(one.delta_0 / two.delta_0, 1, 1e-8);
  EXPECT_NEAR(one.delta_1 / two.delta_1, 1, 1e-8);
}

// Compares with the sum as the paper prints it, with powers and binomials.
TEST(Split, SchemeOneSum) {
  const double q = 0.2, x = 1.7, delta_0 = 1e-4, delta_1 = 1e-3, steps_rate = 3;
  const privacy::SchemeOne scheme(3, q, steps_rate);
  const double binomial[] = {3, 3, 1};
  double sum = 0;
  for (int s = 1; s <= 3; ++s) {
    const double inner = 1.25 * steps_rate * std::pow(delta_0 / 1.25, 1.0 / (s * s)) + delta_1;
    sum +=
        binomial[s - 1] * std::pow(q, s) * std::pow(1 - q, 3 - s) * (std::exp(x) - 1) / (std::exp(x / s) - 1) * inner;
  }
  EXPECT_NEAR((scheme.part_0(x, std::log(1.25 / delta_0)) + scheme.part_1(x, delta_1)) / sum, 1, 1e-13);
  EXPECT_NEAR(scheme.chance(), 1 - 0.8 * 0.8 * 0.8, 1e-15);
  EXPECT_EQ(privacy::SchemeOne(3, 1, 1).chance(), 1);
  EXPECT_NEAR(privacy::SchemeOne(3, 1, 1).part_1(0, 1), 3, 1e-12);  // drawn three times for sure, F_3(0) = 3
}

TEST(Split, ClosedFormsSumToAtMostDelta) {
  for (const Adversary adversary : {Adversary::server, Adversary::outside})
    for (Index drawn = 1; drawn <= 4; ++drawn)
      for (Index rounds = 1; rounds < 2000; rounds += 7) {
        PrivacyInputs in = four_clients();
        in.scheme = PrivacyScheme::two;
        in.adversary = adversary;
        in.drawn = drawn;
        const PrivacyAccount a = theorem_account(in, rounds);
        ASSERT_TRUE(a.epsilon);
        EXPECT_LE(*a.delta, 3e-6);
        EXPECT_NEAR(*a.delta, 3e-6, 1e-14);
      }
}

// The run is so short that δ_0 and δ_1 could exceed 1. They stay below 1, and so does the sum.
TEST(Split, ShortRuns) {
  PrivacyInputs in = four_clients();
  in.delta = 0.9;
  in.local_steps = 1;
  in.clients.max_rate = 0.01;
  const PrivacyAccount a = theorem_account(in, 1);
  ASSERT_TRUE(a.epsilon);
  EXPECT_DOUBLE_EQ(a.delta_0, 0.5);
  EXPECT_LE(*a.delta, 0.9);
}

}  // namespace
}  // namespace pollen
