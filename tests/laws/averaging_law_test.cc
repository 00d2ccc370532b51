// Tests the law builder of the averaging family against facts that are known without a sampler.
#include <gtest/gtest.h>

#include <stdexcept>

#include "averaging.h"

namespace pollen::laws {
namespace {

void expect_equal(const Law& a, const Law& b, double tolerance = 1e-11) {
  EXPECT_LT((a.mean - b.mean).norm(), tolerance * (1 + b.mean.norm()));
  EXPECT_LT((a.covariance - b.covariance).norm(), tolerance * b.covariance.norm());
}

Law law(const Problem& problem, const AveragingLawOptions& options) {
  return averaging_family_law(problem.exact, options).front();
}

TEST(AveragingLaw, SingleStepsWithCommonNoiseAreLsd) {
  for (const Problem& problem : {matrices(), lopsided()}) {
    AveragingLawOptions options;
    options.step = 0.1;
    options.temperature = 1.3;
    GradientLawOptions lsd;
    lsd.step = 0.1 / 3;
    lsd.temperature = 1.3;
    const Law expected = gradient_family_law(problem.exact, lsd).front();
    expect_equal(law(problem, options), expected);
    options.communicate = 1;
    expect_equal(law(problem, options), expected);
  }
}

// The noise of the average has variance 2γT/b for every τ, so at small steps the law is the target, whatever else is
// set.
TEST(AveragingLaw, SmallStepsHaveTheTarget) {
  const Problem problem = lopsided();
  for (const double correlation : {0.0, 0.4, 1.0}) {
    for (const bool by_size : {false, true}) {
      AveragingLawOptions options;
      options.by_size = by_size;
      options.step = 1e-7;
      options.correlation = correlation;
      options.steps = 3;
      options.temperature = 0.8;
      expect_equal(law(problem, options), problem.exact.target(0.8), 1e-5);
    }
  }
}

TEST(AveragingLaw, FaLdOfEqualClientsIsFald) {
  AveragingLawOptions fald, fa_ld;
  fald.step = 0.12;
  fald.correlation = 0.25;
  fald.communicate = fa_ld.communicate = 0.3;
  fa_ld.by_size = true;
  fa_ld.step = 0.04;
  fa_ld.correlation = 0.5;
  expect_equal(law(matrices(), fald), law(matrices(), fa_ld));
}

TEST(AveragingLaw, PartsDropOut) {
  AveragingLawOptions plain;
  plain.step = 0.08;
  plain.steps = 3;
  AveragingLawOptions kept = plain;
  kept.up = Coding::rand_k;
  kept.k = 2;
  kept.memory = 0.4;
  expect_equal(law(lopsided(), kept), law(lopsided(), plain));
  AveragingLawOptions everybody = plain;
  everybody.participation = Attend::fixed_size;
  everybody.size = 3;
  expect_equal(law(lopsided(), everybody), law(lopsided(), plain));
  AveragingLawOptions all_rows = plain;
  all_rows.batch = 4;
  expect_equal(law(lopsided(), all_rows), law(lopsided(), plain));
}

TEST(AveragingLaw, ThePathEndsInTheStationaryLaw) {
  AveragingLawOptions options;
  options.step = 0.08;
  options.correlation = 0.4;
  options.steps = 3;
  options.batch = 1;
  const auto path = averaging_family_path(lopsided().exact, options, Eigen::VectorXd::Ones(2), 600,
                                          [&](int) { return options.step; });
  expect_equal(path.back(), law(lopsided(), options), 1e-9);
}

TEST(AveragingLaw, RefusesWhatItDoesNotKnow) {
  AveragingLawOptions options;
  EXPECT_THROW(law(matrices(), options), std::invalid_argument) << "no step";
  options.step = 0.1;
  options.up = Coding::rand_k;
  options.correlation = 0.5;
  EXPECT_THROW(law(matrices(), options), std::invalid_argument) << "compressed private noise";
  options = {};
  options.step = 5;
  EXPECT_THROW(law(matrices(), options), std::domain_error) << "not stable";
}

}  // namespace
}  // namespace pollen::laws
