// Small cases worked out by hand, which show a factor that was lost in the code.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.h"
#include "plan/proofs.h"

namespace pollen::plan {
namespace {

Constants unit(double d = 1) {
  Constants c;
  c.dimension = d;
  c.convexity = c.smoothness = 1;
  c.clients = {{.smoothness = 1, .convexity = 1, .row_smoothness = 1}};
  return c;
}

TEST(Hand, MinibatchVariance) {
  // Rows 1, 2, 6, one of them times 3, give 3, 6, 18 about 9: (36 + 9 + 81)/3 = 42 = A(Σ - S²/N) = 3 (41 - 27).
  EXPECT_DOUBLE_EQ(minibatch_variance(3, 1, 41, 81), 42);
  EXPECT_DOUBLE_EQ(minibatch_variance(3, 3, 41, 81), 0);
  EXPECT_DOUBLE_EQ(minibatch_variance(1, 1, 5, 5), 0);
}

TEST(Hand, Qlsd) {
  Constants c = unit(2);
  c.smoothness = 2;
  c.start = 4;
  c.clients = {{.smoothness = 2, .gradient = 3, .omega = 1}};
  Method m;
  m.participation = {
      .policy = ParticipationPolicy::bernoulli, .probability = {0.5}, .scaling = Scaling::inverse_probability};
  const Guarantee g = guarantee(Theorem::qlsd, c, m);
  // By hand: v = (1 + 1 - ½)/½ = 3; M̃ = 2·3·2 = 12; B̃* = 2·3·3 = 18.
  EXPECT_DOUBLE_EQ(g.step(), 1.0 / (1 + 2 + 12));
  // By hand: B = 16·1.05·(1 + 0.02 + 1/30000) + 36 + 48·(4 + 0.18).
  const double limit = 0.01 * (16.8 * (1.02 + 1.0 / 30000) + 36 + 48 * 4.18);
  EXPECT_NEAR(g.limit(0.01), limit, 1e-12);
  // One step gives 0.995 (2 + √2)² + 10⁻⁴·2·12·4.
  EXPECT_NEAR(g.after(0.01, 1), limit + 0.995 * std::pow(2 + std::sqrt(2.0), 2) + 0.0096, 1e-12);
}

TEST(Hand, QlsdStar) {
  Constants c = unit();
  c.clients = {{.rows = 4, .batch = 2, .smoothness = 1, .row_smoothness = 0.25, .gradient = 9, .omega = 1}};
  Method m;
  m.oracle = OracleKind::fixed_point;
  // By hand: A = 4·2/(2·3) = 4/3; M̃ = 1·1 + 2·(4/3)/4 = 5/3; B̃* = 0: γ(2(1+5γ)(1 + γ/2 + γ²/12) + 4M̃).
  const Guarantee g = guarantee(Theorem::qlsd_star, c, m);
  EXPECT_NEAR(g.limit(0.1), 0.1 * (2 * 1.5 * (1.05 + 0.01 / 12) + 20.0 / 3), 1e-12);
}

TEST(Hand, QlsdPlusPlus) {
  Constants c = unit();
  c.clients = {{.rows = 2, .batch = 1, .smoothness = 1, .row_smoothness = 0.5, .gradient = 5, .omega = 1}};
  Method m;
  m.oracle = OracleKind::svrg;
  m.memory = Memory::average;
  m.memory_rate = 0.5;
  m.refresh = 2;
  const Guarantee g = guarantee(Theorem::qlsd_pp, c, m);
  // By hand: A M̄ M = 2·½·1 = 1, u = 2, v = 1: B = 2(1 + 2) + 1 = 7, C = 2(1 + 1) = 4; 1/(7 + 12); 1/(16·2·2·1); ½/3.
  const std::vector<double> expected = {1.0 / 19, 1.0 / 64, 0.1, 0.2, 0.5 / 3};
  ASSERT_EQ(g.limits.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(g.limits[i].value, expected[i]);
  // By hand: D = 2(1 + 2) + 2·2 + 4·1·4 = 26; 8 l d D/m² = 416.
  EXPECT_NEAR(g.limit(0.01), 0.01 * (2 * 1.05 * (1.005 + 1e-4 / 12) + 416), 1e-12);
  // Three steps of ρ = 0.995, refreshed at 0 and 2, give Σ = ρ²·1 + ρ·1 + 1·ρ; ψ = 3·(0.01)²/0.5·5; D' = 26 + 16/5.
  const double rho = 0.995, psi = 3e-4 / 0.5 * 5, slow = rho * rho + 2 * rho;
  const double memory = 2e-4 * 5 * (rho * rho + rho * 0.5 + 0.25);
  EXPECT_NEAR(g.after(0.01, 3) - g.limit(0.01), std::pow(rho, 3) + 1e-4 * slow * 29.2 * psi + memory, 1e-12);
}

TEST(Hand, DElf) {
  Constants c = unit();
  c.clients[0].alpha = 0.75;  // (1-α)^½ = ½ = p, β = L̄ = 1
  const Guarantee g = guarantee(Theorem::d_elf, c, {});
  EXPECT_DOUBLE_EQ(g.step(), 0.5 / 14);  // √(½/2)/14
  const double s = 0.02, weight = (8 * s * s + 2) / (std::exp(-s) - 0.5 * (4 * s * s + 1));
  const double tau = (2 + weight / 2) * (16 * s * s + 4 * s);
  EXPECT_NEAR(g.limit(s), 2 * tau, 1e-12);
  // From a point at the mode, KL(x_1) ≤ ½·2s - ½(1 + ln 2s), and the memory is ¼·2s behind.
  const double first = s - 0.5 * (1 + std::log(2 * s)) + (1 - std::exp(-s)) * weight * 0.25 * 2 * s;
  EXPECT_NEAR(g.after(s, 3), 2 * (std::exp(-2 * s) * first + tau), 1e-12);
}

// The corrected closed form of ELF's Lemma B.7 is the smaller: α_D α_P/(495 √((1-α_D/2)(1-α_P/2) L̄)).
TEST(Hand, BElfStepIsAboveItsClosedForm) {
  for (const double up : {0.01, 0.3, 0.9})
    for (const double down : {0.02, 0.5, 0.95}) {
      Constants c = unit();
      c.convexity = 1e-6;
      c.clients[0].alpha = up;
      Method m;
      m.down_alpha = down;
      const double closed = up * down / (495 * std::sqrt((1 - up / 2) * (1 - down / 2)));
      EXPECT_GE(guarantee(Theorem::b_elf, c, m).step(), std::min({closed, up / 4e-6, down / 4e-6}) * (1 - 1e-12));
    }
}

TEST(Hand, FaldOfOneClient) {
  Method m;
  m.averaging = Averaging{};
  const Guarantee g = guarantee(Theorem::fald, unit(), m);
  EXPECT_DOUBLE_EQ(g.step(), 1.0 / 12);  // 1/(6(1 + 1))
  // By hand: γ²3(1 + 19γ/36) over γ(1 - 3γ) - 3γ², at γ = 1/20.
  EXPECT_NEAR(g.limit(0.05), 0.0075 * (1 + 0.95 / 36) / (0.0425 - 0.0075), 1e-12);
}

// FALD's Theorem 20 with the factor that Lemma 11 lost: v_2 = C_δ (1 + C_r/(A_d/2 - C_r)). The recursion's own limit is
// slightly below.
TEST(Hand, FaldIsBelowItsTheoremMended) {
  const Constants c = mixed_constants();
  const Method method = averaging_method({.communicate = 0.3, .common = 0.7});
  const FaldConstants f = fald_constants(c);
  const Guarantee g = guarantee(Theorem::fald, c, method);
  const double step = g.step(), m = f.m, l2 = f.l * f.l, p = 0.3, a = step * m / 2;
  const double wide = 4 * 0.7 * step * step / (p - 4 * a) * 3 * (f.spread + (2 + p) / p * l2);
  const double back = 3 * wide * 2 * step * l2 / m, forth = 3 * step * step * f.at_mode + 2 * step * f.d / f.b;
  const double delta = 4 * 0.7 * step * step / p * 3 * (f.b * f.at_mode + (2 + p) / p * f.apart) + wide * forth / a +
                       8 * 0.7 * 0.3 * (1 - 1 / f.b) * step * f.d / p;
  ASSERT_LE(4 * back, a);
  const double theorem = 6 * l2 / (m * m) * delta * (1 + back / (a / 2 - back)) +
                         6 * step * f.d / (f.b * m * m) * l2 * (1 + step * l2 / m) + 6 * step * f.at_pi / m;
  EXPECT_LE(g.limit(step), theorem);
  EXPECT_GE(g.limit(step), theorem / 4);
}

TEST(Hand, FaLd) {
  Method m;
  m.averaging = Averaging{.random = false, .steps = 1, .common = 0, .by_size = true};
  const Constants c = unit();
  const Guarantee one = guarantee(Theorem::fa_ld, c, m);
  EXPECT_DOUBLE_EQ(one.step(), 0.5);
  // By hand: (2/η)·(2/η)·η³(2η + 16) at η = 0.1.
  EXPECT_NEAR(one.limit(0.1), 4 * 0.1 * 16.2, 1e-12);
  m.averaging->steps = 3;
  // By hand: H = 0 + 1; divergence 28·4·η² + 4·2·η = 1.92; (2/η)·6η·1.92.
  EXPECT_NEAR(guarantee(Theorem::fa_ld, c, m).limit(0.1), 6.48 + 12 * 1.92, 1e-12);
  // Theorem 5.7 of FA-LD is 800 κ² η m d ((K-1)² + κ) H.
  EXPECT_LE(guarantee(Theorem::fa_ld, c, m).limit(0.1), 800 * 0.1 * 5);
}

}  // namespace
}  // namespace pollen::plan
