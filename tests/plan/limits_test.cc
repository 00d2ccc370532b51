// A feature that is switched off leaves no term, and with all off the bound is that of plain Langevin. A quantity that
// is turned up raises the bound.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "cases.h"

namespace pollen::plan {
namespace {

double term(const std::vector<Term>& terms, const std::string& name) {
  for (const Term& t : terms)
    if (t.name == name) return t.square;
  ADD_FAILURE() << "no term " << name;
  return -1;
}

std::vector<Term> terms_at_half(const Case& one, const PlanInput& input) {
  return split(one.theorem, input, guarantee(one.theorem, input.constants, input.method).step() / 2);
}

TEST(Limits, TermsAddUpToTheBoundAndNoneIsNegative) {
  for (const Case& one : all_cases()) {
    const PlanInput input{.constants = mixed_constants(), .method = one.method};
    const Guarantee g = guarantee(one.theorem, input.constants, input.method);
    double sum = 0;
    for (const Term& t : split(one.theorem, input, g.step() / 2)) {
      EXPECT_GE(t.square, 0) << one.name << " " << t.name;
      sum += t.square;
    }
    EXPECT_NEAR(sum / g.limit(g.step() / 2), 1, 1e-9) << one.name;
  }
}

TEST(Limits, WhatIsAbsentHasNoTerm) {
  using Change = std::function<void(PlanInput&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"gradient noise",
       [](PlanInput& in) {
         for (auto& c : in.constants.clients) c.batch = c.rows, c.variance = 0;
       }},
      {"compression",
       [](PlanInput& in) {
         for (auto& c : in.constants.clients) c.omega = 0, c.alpha = 1;
         in.method.down_alpha = 1;
       }},
      {"participation", [](PlanInput& in) { in.method.participation = {}; }},
      {"heterogeneity",
       [](PlanInput& in) {
         for (auto& c : in.constants.clients) c.gradient = 0;
       }},
      {"local drift", [](PlanInput& in) {
         if (in.method.averaging) in.method.averaging->communicate = in.method.averaging->steps = 1;
       }}};
  for (const Case& one : all_cases())
    for (const auto& [name, change] : changes) {
      PlanInput input{.constants = mixed_constants(), .method = one.method};
      change(input);
      EXPECT_EQ(term(terms_at_half(one, input), name), 0) << one.name << " " << name;
    }
}

// Table 2 of QLSD: the bounds of the variance-reduced samplers do not depend on the clients' discrepancy. The same
// holds for VR-FALD* (FALD, Theorem 3).
TEST(Limits, VarianceReductionRemovesHeterogeneity) {
  for (const Case& one : all_cases()) {
    const double h = term(terms_at_half(one, {.constants = mixed_constants(), .method = one.method}), "heterogeneity");
    const bool sees = one.name == "qlsd#" || one.name == "fald" || one.name == "fa-ld";
    EXPECT_EQ(h > 0, sees) << one.name;
  }
}

// With ω = 0, p = 1 and full gradients, M̃ = B̃* = 0 in QLSD's Theorem S4, which is Durmus and Moulines' bound for ULA.
// The samplers ++ and * have the same bound.
TEST(Limits, WithoutNoiseTheGradientFamilyIsUla) {
  Constants c = mixed_constants();
  for (ClientConstants& client : c.clients) client.batch = client.rows, client.variance = client.omega = 0;
  const double m = c.convexity, l = c.smoothness, step = 1e-4;
  const double ula =
      step * 2 * c.dimension * l * l / m * (1 / m + 5 * step) * (1 + step * l * l / (2 * m) + step * step * l * l / 12);
  for (const Theorem theorem : {Theorem::qlsd, Theorem::qlsd_star, Theorem::qlsd_pp}) {
    Method method;
    method.refresh = 10;
    const Guarantee g = guarantee(theorem, c, method);
    EXPECT_NEAR(g.limit(step) / ula, 1, 1e-12);
    const double far = std::sqrt(c.start) + std::sqrt(c.dimension / m);
    EXPECT_NEAR(g.after(step, 100) / (ula + std::pow(1 - step * m / 2, 100) * far * far), 1, 1e-12);
  }
}

// With α = 1, τ = 2L²(16Lγ²d + 4γd) in all three, which is Vempala and Wibisono's discretisation error.
TEST(Limits, WithoutCompressionElfIsLangevinMonteCarlo) {
  Constants c = mixed_constants();
  for (ClientConstants& client : c.clients) client.alpha = 1;
  const double m = c.convexity, l = c.smoothness, d = c.dimension, step = 1e-4;
  const double kl = 2 * l * l * d * (16 * l * step * step + 4 * step) / m;
  for (const Theorem theorem : {Theorem::d_elf, Theorem::p_elf, Theorem::b_elf}) {
    const Guarantee g = guarantee(theorem, c, {});
    EXPECT_NEAR(g.limit(step) * g.kl / kl, 1, 1e-12);
    EXPECT_NEAR(g.limit(step) / (2 * kl / m), 1, 1e-12);  // by Talagrand's inequality
  }
}

TEST(Limits, BElfWithOneIdentityIsNearTheOther) {
  Constants c = mixed_constants();
  Method method;
  method.down_alpha = 1;
  const double step = guarantee(Theorem::b_elf, c, method).step();
  const double b = guarantee(Theorem::b_elf, c, method).limit(step),
               one = guarantee(Theorem::d_elf, c, method).limit(step);
  EXPECT_GT(b, one);  // Young's constants in ELF's Theorem 4.5 are coarser
  EXPECT_LT(b, 30 * one);
}

TEST(Limits, BoundsGrowWithTheStepAndShrinkWithTime) {
  for (const Case& one : all_cases()) {
    const Guarantee g = guarantee(one.theorem, mixed_constants(), one.method);
    double last = 0;
    for (const double part : {1e-6, 1e-4, 1e-2, 0.1, 0.5, 1.0}) {
      EXPECT_GT(g.limit(part * g.step()), last) << one.name;
      last = g.limit(part * g.step());
      EXPECT_LT(g.rate(part * g.step()), 1) << one.name;
    }
    const double long_time = g.after(g.step(), 1e9);
    EXPECT_NEAR(long_time / g.limit(g.step()), 1, 1e-6) << one.name;
    EXPECT_GT(g.after(g.step(), 100), long_time) << one.name;
  }
}

TEST(Limits, BoundsGrowWithEveryCause) {
  using Change = std::function<void(PlanInput&)>;
  const std::vector<Change> changes = {
      [](PlanInput& in) { in.constants.clients[1].variance *= 2; },
      [](PlanInput& in) { in.constants.clients[1].gradient *= 2; },
      [](PlanInput& in) { in.constants.clients[1].omega *= 2; },
      [](PlanInput& in) { in.constants.clients[1].alpha /= 2; },
      [](PlanInput& in) { in.constants.clients[1].batch = 2; },
      [](PlanInput& in) { in.constants.clients[1].row_smoothness *= 2; },
      [](PlanInput& in) { in.constants.clients[1].smoothness *= 1.5; },
      [](PlanInput& in) { in.constants.convexity /= 2, in.constants.clients[1].convexity /= 2; },
      [](PlanInput& in) { in.method.down_alpha /= 2; },
      [](PlanInput& in) { in.method.refresh *= 2; },
      [](PlanInput& in) {
        if (in.method.averaging) in.method.averaging->communicate /= 2;
      },
      [](PlanInput& in) {
        if (in.method.averaging) in.method.averaging->steps *= 2;
      },
      [](PlanInput& in) {
        if (in.method.averaging) in.method.averaging->common /= 2;
      },
      [](PlanInput& in) {
        for (double& p : in.method.participation.probability) p /= 2;
      }};
  for (const Case& one : all_cases())
    for (std::size_t i = 0; i < changes.size(); ++i) {
      PlanInput input{.constants = mixed_constants(), .method = one.method};
      const Guarantee before = guarantee(one.theorem, input.constants, input.method);
      changes[i](input);
      const Guarantee after = guarantee(one.theorem, input.constants, input.method);
      const double step = std::min(before.step(), after.step()) / 2;
      // A smaller m alone may allow a larger step 1/(m+L+M~).
      if (input.constants.convexity == mixed_constants().convexity) {
        EXPECT_LE(after.step(), before.step() * (1 + 1e-12)) << one.name << " change " << i;
      }
      EXPECT_GE(after.limit(step), before.limit(step) * (1 - 1e-12)) << one.name << " change " << i;
    }
}

}  // namespace
}  // namespace pollen::plan
