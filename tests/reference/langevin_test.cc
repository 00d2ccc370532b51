// Compares the unadjusted samplers with their exact stationary laws, including the bias of the step.
#include <cmath>

#include "support.h"

namespace pollen::reference {
namespace {

using stats::GradientLawOptions;

GradientLawOptions law_of(double step, double temperature = 1) {
  GradientLawOptions options;
  options.step = step;
  options.temperature = temperature;
  return options;
}

GradientLawOptions law_of(double step, GradientLawOptions::Oracle oracle, int batch, int refresh = 1) {
  GradientLawOptions options = law_of(step);
  options.oracle = oracle;
  options.batch = batch;
  options.refresh = refresh;
  return options;
}

Sampled sampled(const char* name, const Federated& on, const ReferenceSettings& settings, const Length& length,
                double temperature = 1) {
  const ReferenceProblem problem = on.problem(128, 7, temperature);
  const auto engine = started(name, problem, settings);
  return run(*engine, on, length);
}

// For U = (N/2)‖θ-ȳ‖² the variance per coordinate is 1/(N(1-γN/2)), not 1/N.
TEST(Ula, HasItsBiasedVariance) {
  const Federated on = gaussians({{3, -1}, {5, -1}}, {{3, 0, 0, 3}, {5, 0, 0, 5}});
  const double step = 0.1, total = 8;
  const Sampled result = sampled("ula", on, {.step = step}, {200, 4000});
  stats::Law law = target_of(on);
  law.covariance = Eigen::MatrixXd::Identity(2, 2) / (total * (1 - step * total / 2));
  expect_law(result.only(), law);
  EXPECT_GT(laws::distance(result.only(), target_of(on)), kTellApart);
}

TEST(Ula, FollowsTheTemperature) {
  const Federated on = matrices();
  const Sampled result = sampled("ula", on, {.step = 0.1}, {200, 4000}, 0.3);
  expect_law(result.only(), gradient_family_law(on.exact, law_of(0.1, 0.3))[0]);
}

TEST(SgldPooled, DrawsRowsFromAllClientsTogether) {
  const Federated on = regression();
  GradientLawOptions options = law_of(0.03, GradientLawOptions::Oracle::minibatch, 3);
  const Sampled result = sampled("sgld-pooled", on, {.step = 0.03, .batch = {.count = 3, .fraction = {}}}, {300, 6000});
  expect_law(result.only(), gradient_family_law(on.pooled(), options)[0]);
  options.batch = 1;  // one row of each client, not three of all
  EXPECT_GT(laws::distance(result.only(), gradient_family_law(on.exact, options)[0]), kTellApart);
}

TEST(SvrgLd, HasTheLawOfEachPhase) {
  const Federated on = regression();
  const GradientLawOptions options = law_of(0.03, GradientLawOptions::Oracle::svrg, 2, 3);
  const Sampled result =
      sampled("svrg-ld", on, {.step = 0.03, .batch = {.count = 2, .fraction = {}}, .refresh = 3}, {300, 6000, 3});
  const auto law = gradient_family_law(on.pooled(), options);
  ASSERT_EQ(law.size(), 3U);
  for (std::size_t phase = 0; phase < 3; ++phase) expect_law(result.phases[phase], law[phase]);
  EXPECT_GT(laws::distance(result.phases[1], gradient_family_law(on.pooled(), law_of(0.03))[0]), 4.0)
      << "the minibatch's noise is not to be seen";
}

// In the limit decay → 0 the preconditioner G = 1/(λ + |θ|) follows the state alone, and without its correction term
// the law is ∝ exp(-U)/G, here (λ + |θ|) exp(-θ²/2). Then E θ² = (4 + λ√2π)/(2 + λ√2π), where the target has 1.
TEST(Psgld, IsBiasedAsDocumented) {
  const Federated on = gaussians({{0.0}}, {{1.0}});
  const double damping = 0.1, rest = damping * std::sqrt(2 * std::acos(-1.0));
  const Sampled result = sampled("psgld", on, {.step = 1e-3, .decay = 0, .damping = damping}, {5000, 100000});
  const double found = result.only().covariance(0, 0), error = result.only().covariance_error(0, 0);
  EXPECT_LT(std::abs(found - (4 + rest) / (2 + rest)), 4 * error) << found;
  EXPECT_GT(found - 1, 20 * error);
}

// With a long memory G is nearly constant, so the bias is small.
TEST(Psgld, IsNearlyRightWithALongMemory) {
  const Federated on = regression();
  const Sampled result = sampled("psgld", on, {.step = 1e-3, .decay = 0.9999}, {4000, 40000});
  const stats::Law target = target_of(on);
  for (Eigen::Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(result.only().mean(j), target.mean(j), 0.1 * std::sqrt(target.covariance(j, j)));
    EXPECT_NEAR(result.only().covariance(j, j), target.covariance(j, j), 0.15 * target.covariance(j, j));
  }
}

}  // namespace
}  // namespace pollen::reference
