// From a point, with nothing random but the Langevin noise, every sampler is ULA. Its law at every time is a known
// Gaussian: mean (1-γa)^k x_0, variance 2γ(1-(1-γa)^{2k})/(1-(1-γa)²) along a coordinate of curvature a.
#include <gtest/gtest.h>

#include <cmath>

#include "pollen/plan.h"

namespace pollen::plan {
namespace {

constexpr double kCurvature[] = {1, 2.5, 4};
constexpr double kStart[] = {3, -1, 2};

Constants constants(double clients) {
  Constants c;
  c.dimension = 3;
  c.convexity = 1;
  c.smoothness = 4;
  c.start = 14;
  for (double i = 0; i < clients; ++i)
    c.clients.push_back({.smoothness = 4 / clients, .convexity = 1 / clients, .row_smoothness = 4 / clients});
  return c;
}

double ula_error(double step, double k) {
  double square = 0;
  for (int j = 0; j < 3; ++j) {
    const double a = kCurvature[j], shrink = 1 - step * a, left = std::pow(shrink, k);
    const double sd = std::sqrt(2 * step * (1 - left * left) / (1 - shrink * shrink));
    square += std::pow(left * kStart[j], 2) + std::pow(sd - 1 / std::sqrt(a), 2);
  }
  return square;
}

// `per_step` is the step of the chain in U for a step of 1 in the units of the method.
void expect_bounded(Theorem theorem, const Method& method, double per_step, double clients = 2) {
  const Constants c = constants(clients);
  const Guarantee g = guarantee(theorem, c, method);
  for (const double part : {1.0, 0.1, 0.01})
    for (const double k : {1.0, 2.0, 5.0, 20.0, 100.0, 1000.0, 1e5}) {
      const double step = part * g.step();
      EXPECT_GE(g.after(step, k), ula_error(step * per_step, k)) << g.source << " " << part << " " << k;
    }
}

TEST(Start, BoundsHoldFromTheFirstStepOn) {
  Method svrg, averaging, steps;
  svrg.refresh = 4;
  averaging.averaging = Averaging{};
  steps.averaging = Averaging{.random = false, .by_size = true};
  for (const Theorem t : {Theorem::qlsd, Theorem::qlsd_star, Theorem::d_elf, Theorem::p_elf, Theorem::b_elf})
    expect_bounded(t, {}, 1);
  expect_bounded(Theorem::qlsd_pp, svrg, 1);
  expect_bounded(Theorem::fald, averaging, 0.5);  // FALD's γ is b times that of the others
  averaging.averaging->control_variate = true;
  expect_bounded(Theorem::vr_fald, averaging, 0.5);
  expect_bounded(Theorem::fa_ld, steps, 1);
}

// FA-LD's theorem covers equal weights on clients of equal size, too, but there the step is FALD's γ = bη.
TEST(Start, FixedGapsWithEqualWeightsCountInTheStepOfFald) {
  Method equal, by_size;
  equal.averaging = Averaging{.random = false};
  by_size.averaging = Averaging{.random = false, .by_size = true};
  expect_bounded(Theorem::fa_ld, equal, 1.0 / 20, 20);
  const Guarantee ours = guarantee(Theorem::fa_ld, constants(20), equal),
                  paper = guarantee(Theorem::fa_ld, constants(20), by_size);
  EXPECT_DOUBLE_EQ(ours.step(), 20 * paper.step());
  EXPECT_EQ(ours.limits[0].rule, "b/(2L) (5.9)");
}

}  // namespace
}  // namespace pollen::plan
