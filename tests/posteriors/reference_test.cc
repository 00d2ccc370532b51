// Tests the reference chains themselves: the gradient is the potential's, and they find a posterior with a closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "agreement.h"

namespace pollen::reference {
namespace {

Pooled problem(const std::string& kind, double noise_sd = 0) {
  Pooled p;
  p.kind = kind;
  p.features = 3;
  p.classes = kind == "softmax" ? 4 : 1;
  p.noise_sd = noise_sd;
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  for (int r = 0; r < 40; ++r) {
    p.x.push_back({1.0, normal(engine), normal(engine)});
    p.y.push_back(kind == "linear" ? 0.5 * p.x.back()[1] + normal(engine) : r * r % (kind == "logistic" ? 2 : 4));
  }
  p.prior_precision.assign(3 * p.classes + (kind == "linear" && noise_sd == 0 ? 1 : 0), 0.25);
  return p;
}

TEST(ReferenceChains, TheGradientIsThePotentials) {
  for (const Pooled& p :
       {problem("logistic"), problem("linear"), problem("linear", 0.7), problem("poisson"), problem("softmax")}) {
    Vector theta(p.dimension()), g, unused;
    for (std::size_t j = 0; j < theta.size(); ++j) theta[j] = 0.3 * std::sin(static_cast<double>(j) + 1);
    p.value_and_gradient(theta, g);
    for (std::size_t j = 0; j < theta.size(); ++j) {
      Vector up = theta, down = theta;
      up[j] += 1e-5, down[j] -= 1e-5;
      EXPECT_NEAR(g[j], (p.value_and_gradient(up, unused) - p.value_and_gradient(down, unused)) / 2e-5, 1e-4);
    }
  }
}

// With one coefficient and known σ the posterior is N(Σxy / (Σx² + σ²/τ²), σ² / (Σx² + σ²/τ²)).
TEST(ReferenceChains, FindAPosteriorWithAClosedForm) {
  Pooled p = problem("linear", 0.7);
  p.features = 1;
  p.prior_precision = {0.25};
  double xx = 0, xy = 0;
  for (std::size_t r = 0; r < p.x.size(); ++r) {
    p.x[r] = {p.x[r][1]};
    xx += p.x[r][0] * p.x[r][0];
    xy += p.x[r][0] * p.y[r];
  }
  const double precision = xx / 0.49 + 0.25;
  EXPECT_NEAR(mode(p)[0], xy / 0.49 / precision, 1e-9);
  const Posterior posterior = summarise(mala(p));
  const Estimate& e = posterior.parameters[0];
  EXPECT_LT(posterior.worst_rhat, 1.01);
  EXPECT_LT(std::abs(e.mean - xy / 0.49 / precision), 4 * e.mean_se);
  EXPECT_LT(std::abs(e.sd - 1 / std::sqrt(precision)), 4 * e.sd_se);
  EXPECT_LT(e.mean_se, 0.02 * e.sd);
}

}  // namespace
}  // namespace pollen::reference
