// Theorem G.3 of FA-LD by hand. The numbers were computed outside this program from the formulas as the paper prints
// them. Scheme I's δ_0 and δ_1 come from two nested bisections on the two equations, not from the fixed point used
// here.
#include <gtest/gtest.h>

#include <cmath>

#include "inputs.h"

namespace pollen {
namespace {

void expect_close(double found, double expected) { EXPECT_NEAR(found / expected, 1, 1e-9) << found << " " << expected; }

// All clients take part, E = 100, R = 1: δ_2 = 1e-6, δ_1 = 1e-6/100, δ_0 = 1e-6/(100·100·0.1) = 1e-9, ln(1.25/δ_0) =
// 20.9464.
// ε_1 = 2√(1e-6·20.9464/(0.75·0.25)) = 0.0211390; bound 0.75·0.01·0.25/20.9464 = 8.95e-5.
// √(200 ln 1e8) + 100(e^ε_1 - 1) = 60.697 + 2.136 = 62.833 < 100: ε_K = 0.0211390·62.833 = 1.328236.
// √(200 ln 1e6) + 100(e^ε_K - 1) = 330.0 > 100: ε = 132.8236.
TEST(Theorem, Everybody) {
  const PrivacyAccount a = theorem_account(four_clients(), 100);
  ASSERT_TRUE(a.epsilon && a.delta);
  expect_close(a.delta_0, 1e-9);
  expect_close(a.delta_1, 1e-8);
  expect_close(a.delta_2, 1e-6);
  expect_close(a.step_bound, 8.951414847505275e-05);
  expect_close(a.epsilon_1, 0.021138986106628354);
  expect_close(a.epsilon_k, 1.3282361641895557);
  expect_close(a.epsilon_round, a.epsilon_k);
  expect_close(a.delta_round, 2e-8);
  expect_close(*a.epsilon, 132.82361641895557);
  expect_close(*a.delta, 3e-6);
  EXPECT_TRUE(a.why.empty());
}

// η = 4e-8, T = 2, ρ = 0, ten clients, γ = 1/2, Δ = 2, K = 10, E = 40, δ = 3e-5 take the other branches of both minima.
// δ_0 = 1e-5/(40·5) = 5e-8, δ_1 = 1e-5/40 = 2.5e-7, ln(1.25/δ_0) = 17.0344.
// ε_1 = 4√(4e-8·17.0344/0.2) = 0.00738309; √(20 ln 4e6) + 0.07 = 17.51 > 10: ε_K = 0.0738309.
// √(80 ln 1e5) + 40(e^ε_K - 1) = 33.4135 < 40: ε = 2.466952.
TEST(Theorem, EverybodyOtherBranches) {
  PrivacyInputs in{.step = 4e-8, .temperature = 2, .sensitivity = 2, .local_steps = 10, .delta = 3e-5};
  in.clients = equal_clients(10, 0.5);
  const PrivacyAccount a = theorem_account(in, 40);
  ASSERT_TRUE(a.epsilon);
  expect_close(a.delta_0, 5e-8);
  expect_close(a.epsilon_1, 0.0073830912513027985);
  expect_close(a.epsilon_k, 0.07383091251302798);
  expect_close(*a.epsilon, 2.4669515904011985);
}

// With S/N = 1/2 and R = 2, E·R·S/N = 100 as with all clients, so δ_0 = 1e-9, δ_1 = 1e-8, ε_1 and ε_K are the same. ε̃
// = ln(1 + (e^1.328236 - 1)/2) = 0.870117, δ̃ = (1e-8 + 1e-8)/2, ε = 200 ε̃ = 174.0234 (√ branch: 351.8).
TEST(Theorem, SchemeTwoFromOutside) {
  PrivacyInputs in = four_clients();
  in.scheme = PrivacyScheme::two;
  in.adversary = Adversary::outside;
  in.chains = 2;
  const PrivacyAccount a = theorem_account(in, 100);
  ASSERT_TRUE(a.epsilon);
  expect_close(a.epsilon_k, 1.3282361641895557);
  expect_close(a.epsilon_round, 0.8701169684051455);
  expect_close(a.delta_round, 1e-8);
  expect_close(*a.epsilon, 174.0233936810291);
  expect_close(*a.delta, 3e-6);
}

// With q = 1/4 and S = 2, P(s=1) = 3/8 and P(s=2) = 1/16. With ε_K = 2.635164, F_2 = e^{ε_K/2} + 1 = 4.73404: δ_1 (3/8
// + 4.73404/16) = 1e-8 gives δ_1 = 1.49054e-8; δ_0 = 6.679e-35 from 12.5 (3/8 d + 4.73404/16 d^{1/4}) = 1e-8, d =
// δ_0/1.25. ε̃ = ln(1 + 7/16 (e^ε_K - 1)) = 1.896675; ε = 100 ε̃.
TEST(Theorem, SchemeOneFromOutside) {
  PrivacyInputs in = four_clients();
  in.scheme = PrivacyScheme::one;
  in.adversary = Adversary::outside;
  const PrivacyAccount a = theorem_account(in, 100);
  ASSERT_TRUE(a.epsilon);
  const double factor = std::exp(a.epsilon_k / 2) + 1, d = a.delta_0 / 1.25;
  expect_close(12.5 * (3.0 / 8 * d + factor / 16 * std::pow(d, 0.25)), 1e-8);
  expect_close(a.delta_1 * (3.0 / 8 + factor / 16), 1e-8);
  expect_close(a.log_delta_0, -78.69154279144074);
  expect_close(a.delta_1, 1.4905377862605514e-08);
  expect_close(a.epsilon_1, 0.04103063865753784);
  expect_close(a.epsilon_k, 2.635163973528247);
  expect_close(a.epsilon_round, 1.8966748191893588);
  expect_close(*a.epsilon, 189.66748191893586);
  EXPECT_LE(*a.delta, 3e-6);
}

// Scheme I seen from outside with η = 1e-6, K = 20, E = 50, S = 5, largest share 1/10, smallest 1/20.
TEST(Theorem, SchemeOneUnequalShares) {
  PrivacyInputs in = four_clients();
  in.scheme = PrivacyScheme::one;
  in.adversary = Adversary::outside;
  in.drawn = 5;
  in.local_steps = 20;
  in.clients = {15, 0.05, 0.1, 0.01 * 0.05, 0.1, {{0.05, 0.1}, {0.1, 0.1}}};
  const PrivacyAccount a = theorem_account(in, 50);
  ASSERT_TRUE(a.epsilon);
  expect_close(a.log_delta_0, -264.2691709933959);
  expect_close(a.delta_1, 2.1960596889526205e-08);
  expect_close(a.epsilon_round, 2.515427192874657);
  expect_close(*a.epsilon, 125.77135964373285);
}

// The server sees who takes part, so all schemes cost as much as full participation.
TEST(Theorem, TheServerSeesNoAmplification) {
  PrivacyInputs in = four_clients();
  const double full = *theorem_account(in, 7).epsilon;
  for (const PrivacyScheme scheme : {PrivacyScheme::one, PrivacyScheme::two}) {
    in.scheme = scheme;
    in.adversary = Adversary::server;
    EXPECT_EQ(*theorem_account(in, 7).epsilon, full);
    in.adversary = Adversary::outside;
    EXPECT_NE(*theorem_account(in, 7).epsilon, full);
  }
  in.scheme = PrivacyScheme::full;
  EXPECT_EQ(*theorem_account(in, 7).epsilon, full);
}

TEST(Theorem, NothingShownNothingSpent) {
  const PrivacyAccount a = theorem_account(four_clients(), 0);
  EXPECT_EQ(a.epsilon, 0);
  EXPECT_EQ(a.delta, 0);
}

// δ's set by hand are used unchanged: δ_1 = δ_2 = 0 leaves plain composition, ε = E K ε_1, δ = E K γ δ_0.
TEST(Theorem, SetDeltas) {
  PrivacyInputs in = four_clients();
  in.delta.reset();
  in.delta_0 = 1e-9;
  in.delta_1 = in.delta_2 = 0;
  const PrivacyAccount a = theorem_account(in, 30);
  ASSERT_TRUE(a.epsilon);
  expect_close(*a.epsilon, 30 * 100 * 0.021138986106628354);
  expect_close(*a.delta, 30 * 100 * 0.1 * 1e-9);
}

}  // namespace
}  // namespace pollen
