// FA-LD (docs/algorithms.md section 6) with clients of different sizes, all of them or some (schemes I and II).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "averaging.h"
#include "run/experiment.h"

namespace pollen::laws {
namespace {

AveragingLawOptions fa_ld(double step, double correlation, int steps) {
  AveragingLawOptions options;
  options.by_size = true;
  options.step = step;
  options.correlation = correlation;
  options.steps = steps;
  return options;
}

// Returns options of a wrong sampler with equal weights and the step of the mean.
AveragingLawOptions weights_forgotten(AveragingLawOptions options) {
  options.by_size = false;
  options.step *= 3;
  options.correlation *= options.correlation;
  return options;
}

TEST(FaLd, PrivateNoise) {
  const AveragingLawOptions options = fa_ld(0.045, 0, 3);
  const AveragingCheck check(lopsided(), options);
  check.rejects("weights forgotten", weights_forgotten(options));
  check.rejects("common noise", fa_ld(0.045, 1, 3));
}

TEST(FaLd, SomeCommonNoise) {
  const Problem problem = lopsided();
  const AveragingLawOptions options = fa_ld(0.045, 0.6, 4);
  const AveragingCheck check(problem, options);
  check.rejects("ρ, not ρ squared", fa_ld(0.045, std::sqrt(0.6), 4));
  check.rejects("ρ squared squared", fa_ld(0.045, 0.36, 4));
  check.rejects("the whole prior on every client", with_prior_times(3, problem.exact), options);
  check.rejects("three steps", fa_ld(0.045, 0.6, 3));
  AveragingLawOptions wrong = options;
  wrong.temperature = 3;
  check.rejects("noise b times too wide", wrong);
}

TEST(FaLd, CommonNoise) {
  const AveragingLawOptions options = fa_ld(0.045, 1, 3);
  const AveragingCheck check(lopsided(), options);
  check.rejects("weights forgotten", weights_forgotten(options));
}

TEST(FaLd, RandomGapsMinibatchesTemperature) {
  AveragingLawOptions options = fa_ld(0.03, 0.4, 1);
  options.communicate = 0.4;
  options.batch = 1;
  options.temperature = 1.7;
  const AveragingCheck check(regression(), options);
  AveragingLawOptions wrong = options;
  wrong.temperature = 1;
  check.rejects("temperature 1", wrong);
  wrong = options;
  wrong.batch = 2;
  check.rejects("batches of two", wrong);
  check.rejects("weights forgotten", weights_forgotten(options));
}

AveragingLawOptions scheme(Attend which, double step, double correlation, int size) {
  AveragingLawOptions options = fa_ld(step, correlation, 2);
  options.participation = which;
  options.size = size;
  return options;
}

TEST(FaLd, SchemeOne) {
  const AveragingLawOptions options = scheme(Attend::fixed_size_replacement, 0.03, 0.4, 2);
  const AveragingCheck check(points(), options);
  check.rejects("scheme II", scheme(Attend::fixed_size, 0.03, 0.4, 2));
  check.rejects("everybody", fa_ld(0.03, 0.4, 2));
  check.rejects("three draws", scheme(Attend::fixed_size_replacement, 0.03, 0.4, 3));
}

TEST(FaLd, SchemeOneCommonNoise) {
  const AveragingCheck check(points(), scheme(Attend::fixed_size_replacement, 0.03, 1, 1));
  check.rejects("private noise", scheme(Attend::fixed_size_replacement, 0.03, 0, 1));
}

// Clients of 4, 3 and 3 rows count as balanced.
TEST(FaLd, SchemeTwo) {
  const AveragingLawOptions options = scheme(Attend::fixed_size, 0.03, 0.4, 2);
  const AveragingCheck check(regression(), options);
  check.rejects("scheme I", scheme(Attend::fixed_size_replacement, 0.03, 0.4, 2));
  check.rejects("everybody", fa_ld(0.03, 0.4, 2));
}

TEST(FaLd, SchemeTwoUnbalanced) {
  const AveragingCheck check(points(), scheme(Attend::fixed_size, 0.03, 0, 2), {"sampler.allow_unbalanced=true"});
  check.rejects("scheme I", scheme(Attend::fixed_size_replacement, 0.03, 0, 2));
}

std::vector<std::string> warnings(const Problem& problem, const AveragingLawOptions& options) {
  Experiment experiment(read_config_text(problem.text, "law.toml", keys_of(options)));
  return experiment.warnings();
}

// With small steps and equal clients the temperature of scheme II is exactly ρ² + (1-ρ²) b/S, and the warning says so.
TEST(FaLd, TheFactorOfSchemeTwo) {
  const double rho = 0.4, factor = 0.16 + 0.84 * 3 / 2;
  QuadraticProblem equal = regression().exact;
  equal.clients[1] = equal.clients[2] = equal.clients[0];
  const Law law = averaging_family_law(equal, scheme(Attend::fixed_size, 1e-6, rho, 2)).front();
  EXPECT_LT((law.covariance / factor - equal.target().covariance).norm(), 1e-4 * law.covariance.norm());
  const auto told = warnings(regression(), scheme(Attend::fixed_size, 0.03, rho, 2));
  EXPECT_THAT(told, ::testing::Contains(::testing::HasSubstr("1.42 times too high")));
  EXPECT_NEAR(factor, 1.42, 1e-12);
  EXPECT_THAT(warnings(regression(), scheme(Attend::fixed_size, 0.03, 1, 2)), ::testing::IsEmpty());
}

// In scheme I, E[m²]/(S² p²) of private noise of variance 1/p, summed over clients, is 1 + (b-1)/S.
TEST(FaLd, TheFactorOfSchemeOne) {
  QuadraticProblem equal = regression().exact;
  equal.clients[1] = equal.clients[2] = equal.clients[0];
  const Law law = averaging_family_law(equal, scheme(Attend::fixed_size_replacement, 1e-6, 0, 2)).front();
  EXPECT_LT((law.covariance / 2 - equal.target().covariance).norm(), 1e-4 * law.covariance.norm());
  EXPECT_THAT(warnings(points(), scheme(Attend::fixed_size_replacement, 0.03, 0, 2)),
              ::testing::Contains(::testing::HasSubstr("counts 2 times")));
}

}  // namespace
}  // namespace pollen::laws
