// VR-FALD* (docs/algorithms.md section 6): control variates remove the bias of the mean, and act one step late.
#include <gtest/gtest.h>

#include "averaging.h"

namespace pollen::laws {
namespace {

AveragingLawOptions vr_fald(double step, double correlation, int steps, double refresh) {
  AveragingLawOptions options;
  options.step = step;
  options.correlation = correlation;
  options.steps = steps;
  options.refresh = refresh;
  return options;
}

void expect_all_wrong_ones_rejected(const AveragingCheck& check, const AveragingLawOptions& options) {
  AveragingLawOptions wrong = options;
  wrong.refresh = 0;
  check.rejects("no control variates", wrong);
  wrong = options;
  wrong.anchor_at_once = true;
  check.rejects("the anchor used one step early", wrong);
  wrong = options;
  wrong.refresh = options.refresh / 2;
  check.rejects("half as many refreshes", wrong);
}

TEST(VrFald, FixedGaps) {
  const AveragingLawOptions options = vr_fald(0.1, 0.4, 4, 0.4);
  const AveragingCheck check(lopsided(), options);
  expect_all_wrong_ones_rejected(check, options);
}

TEST(VrFald, PrivateNoise) {
  const AveragingLawOptions options = vr_fald(0.12, 0, 3, 0.3);
  const AveragingCheck check(matrices(), options);
  AveragingLawOptions wrong = options;
  wrong.correlation = 1;
  check.rejects("common noise", wrong);
}

TEST(VrFald, CommonNoise) {
  AveragingLawOptions options = vr_fald(0.1, 1, 1, 0.25);
  options.communicate = 0.25;
  const AveragingCheck check(lopsided(), options);
  expect_all_wrong_ones_rejected(check, options);
}

TEST(VrFald, MinibatchesOfDifferences) {
  AveragingLawOptions options = vr_fald(0.1, 0.4, 1, 0.3);
  options.communicate = 0.4;
  options.batch = 1;
  options.temperature = 0.7;
  const AveragingCheck check(regression(), options);
  AveragingLawOptions wrong = options;
  wrong.batch = 0;
  check.rejects("all rows", wrong);
  wrong.batch = 2;
  check.rejects("batches of two", wrong);
  wrong = options;
  wrong.refresh = 0;
  check.rejects("no control variates", wrong);
}

// This is the paper's point: with heterogeneous clients FALD's mean is biased and VR-FALD*'s is not.
TEST(VrFald, TheMeanIsExactAndFaldsIsNot) {
  const Problem problem = matrices();
  const Law target = problem.exact.target();
  AveragingLawOptions options = vr_fald(0.12, 1, 4, 0.3);
  const Law law = averaging_family_law(problem.exact, options).front();
  EXPECT_LT((law.mean - target.mean).norm(), 1e-10);
  const Estimate with = sample_averages(problem, options, {}, kCoins).front();
  EXPECT_LT(worst(with.mean - target.mean, with.mean_error), kAgree);
  options.refresh = 0;
  const Estimate without = sample_averages(problem, options, {}, kFixedGaps).front();
  EXPECT_GT(worst(without.mean - target.mean, without.mean_error), 5 * kTellApart);
}

}  // namespace
}  // namespace pollen::laws
