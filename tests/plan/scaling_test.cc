// Measuring θ in other units must not change what is promised. A misplaced power of L or m shows here at once.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.h"

namespace pollen::plan {
namespace {

// Returns the constants for φ = cθ: gradients scale by 1/c, curvatures by 1/c², third derivatives by 1/c³, distances by
// c.
Constants rescaled(Constants c, double by) {
  const double curvature = 1 / (by * by);
  c.convexity *= curvature;
  c.smoothness *= curvature;
  c.start *= by * by;
  if (c.hessian_lipschitz) *c.hessian_lipschitz *= curvature / by;
  for (ClientConstants& client : c.clients) {
    client.smoothness *= curvature;
    client.convexity *= curvature;
    client.row_smoothness *= curvature;
    client.gradient *= curvature;
    client.variance *= curvature;
  }
  return c;
}

void expect_close(double a, double b, const std::string& what) { EXPECT_NEAR(a / b, 1, 1e-9) << what; }

TEST(Scaling, StepsAreSquaresAndBoundsSquaresOfTheUnit) {
  const double by = 3.7, square = by * by;
  for (const bool third : {false, true})
    for (const Case& one : all_cases()) {
      Constants c = mixed_constants();
      if (third) c.hessian_lipschitz = 0.01;
      const Guarantee a = guarantee(one.theorem, c, one.method),
                      b = guarantee(one.theorem, rescaled(c, by), one.method);
      ASSERT_EQ(a.limits.size(), b.limits.size());
      for (std::size_t i = 0; i < a.limits.size(); ++i)
        expect_close(b.limits[i].value, square * a.limits[i].value, one.name + " " + a.limits[i].rule);
      for (const double part : {1.0, 0.1, 0.001}) {
        const double step = part * a.step();
        expect_close(b.limit(square * step), square * a.limit(step), one.name + " limit");
        for (const double k : {1.0, 10.0, 1e4, 1e6})
          expect_close(b.after(square * step, k), square * a.after(step, k), one.name + " after");
        expect_close(b.rate(square * step), a.rate(step), one.name + " rate");
      }
    }
}

TEST(Scaling, TermsScaleAlike) {
  for (const Case& one : all_cases()) {
    PlanInput a{.constants = mixed_constants(), .method = one.method}, b = a;
    b.constants = rescaled(a.constants, 0.3);
    const double step = guarantee(one.theorem, a.constants, one.method).step();
    const std::vector<Term> left = split(one.theorem, a, step), right = split(one.theorem, b, 0.09 * step);
    for (std::size_t i = 0; i < left.size(); ++i)
      EXPECT_NEAR(right[i].square, 0.09 * left[i].square, 1e-9 * right[0].square + 1e-9 * 0.09 * left[i].square)
          << one.name;
  }
}

// U at temperature T with step γ is the same as U/T at temperature 1 with step γT.
TEST(Scaling, TemperatureDividesThePotential) {
  const double t = 2.5;
  for (const Case& one : all_cases()) {
    Constants hot = mixed_constants(), cold = mixed_constants();
    hot.temperature = t;
    cold.convexity /= t, cold.smoothness /= t;
    for (ClientConstants& client : cold.clients) {
      client.smoothness /= t, client.convexity /= t, client.row_smoothness /= t;
      client.gradient /= t * t, client.variance /= t * t;
    }
    const Guarantee a = guarantee(one.theorem, hot, one.method), b = guarantee(one.theorem, cold, one.method);
    expect_close(t * a.step(), b.step(), one.name);
    const double step = a.step() / 2;
    expect_close(a.limit(step), b.limit(t * step), one.name);
    expect_close(a.after(step, 500), b.after(t * step, 500), one.name);
  }
}

}  // namespace
}  // namespace pollen::plan
