// FALD (docs/algorithms.md section 6): mean and covariance at communication rounds.
#include <gtest/gtest.h>

#include "averaging.h"

namespace pollen::laws {
namespace {

AveragingLawOptions fald(double step, double correlation, int steps) {
  AveragingLawOptions options;
  options.step = step;
  options.correlation = correlation;
  options.steps = steps;
  return options;
}

// Returns a wrong sampler with √τ in place of √(τ/b), expressed as a hotter chain with another τ.
AveragingLawOptions without_b(AveragingLawOptions options, double clients) {
  const double tau = options.correlation, sum = clients * tau + 1 - tau;
  options.temperature *= sum;
  options.correlation = clients * tau / sum;
  return options;
}

TEST(Fald, PrivateNoise) {
  const AveragingLawOptions options = fald(0.1, 0, 4);
  const AveragingCheck check(lopsided(), options);
  check.rejects("common noise", fald(0.1, 1, 4));
  check.rejects("one step per round", fald(0.1, 0, 1));
  check.rejects("three steps per round", fald(0.1, 0, 3));
}

TEST(Fald, SomeCommonNoise) {
  const Problem problem = lopsided();
  const AveragingLawOptions options = fald(0.1, 0.4, 4);
  const AveragingCheck check(problem, options);
  check.rejects("√τ, not √(τ over b)", without_b(options, 3));
  check.rejects("τ squared", fald(0.1, 0.16, 4));
  check.rejects("private noise", fald(0.1, 0, 4));
  AveragingLawOptions wrong = options;
  wrong.temperature = 3;
  check.rejects("noise b times too wide", wrong);
  wrong.temperature = 1.0 / 3;
  check.rejects("noise b times too narrow", wrong);
  check.rejects("the whole prior on every client", with_prior_times(3, problem.exact), options);
  check.rejects("no prior", with_prior_times(0, problem.exact), options);
  check.rejects("the step of the mean", fald(0.1 / 3, 0.4, 4));
}

TEST(Fald, CommonNoise) {
  const AveragingLawOptions options = fald(0.1, 1, 4);
  const AveragingCheck check(lopsided(), options);
  check.rejects("private noise", fald(0.1, 0, 4));
  check.rejects("√τ, not √(τ over b)", without_b(options, 3));
}

TEST(Fald, Temperature) {
  const Problem problem = matrices();
  AveragingLawOptions options = fald(0.12, 0.4, 2);
  options.temperature = 2.5;
  const AveragingCheck check(problem, options);
  options.temperature = 1;
  check.rejects("temperature 1", options);
}

TEST(Fald, RandomGaps) {
  AveragingLawOptions options = fald(0.1, 0.4, 1);
  options.communicate = 0.4;
  const AveragingCheck check(lopsided(), options);
  check.rejects("every second step", fald(0.1, 0.4, 2));
  check.rejects("every third step", fald(0.1, 0.4, 3));
  AveragingLawOptions wrong = options;
  wrong.communicate = 0.6;
  check.rejects("the other side of the coin", wrong);
}

TEST(Fald, RandomGapsPrivateNoise) {
  AveragingLawOptions options = fald(0.08, 0, 1);
  options.communicate = 0.25;
  const AveragingCheck check(points(), options, {}, {96, 8, 6000});
  check.rejects("every fourth step", fald(0.08, 0, 4));
}

TEST(Fald, Minibatches) {
  AveragingLawOptions options = fald(0.08, 0.4, 3);
  options.batch = 1;
  const AveragingCheck check(regression(), options);
  AveragingLawOptions wrong = options;
  wrong.batch = 2;
  check.rejects("batches of two", wrong);
  wrong.batch = 0;
  check.rejects("all rows", wrong);
}

TEST(Fald, MinibatchesWithoutReplacement) {
  AveragingLawOptions options = fald(0.08, 1, 2);
  options.batch = 2;
  const Problem problem = points();
  const AveragingCheck check(problem, options);
  AveragingLawOptions wrong = options;
  wrong.batch = 1;
  check.rejects("with replacement", pairs_with_replacement(problem.exact), wrong);
}

TEST(Fald, SomeClients) {
  AveragingLawOptions options = fald(0.08, 0.4, 2);
  options.participation = Attend::fixed_size;
  options.size = 2;
  const AveragingCheck check(points(), options);
  AveragingLawOptions wrong = options;
  wrong.size = 1;
  check.rejects("one client", wrong);
  check.rejects("everybody", fald(0.08, 0.4, 2));
}

TEST(Fald, ClientsByCoin) {
  AveragingLawOptions options = fald(0.06, 1, 2);
  options.participation = Attend::bernoulli_active;
  options.probability = {0.5, 0.5, 0.5};
  const AveragingCheck check(points(), options);
  check.rejects("everybody", fald(0.06, 1, 2));
  options.participation = Attend::bernoulli_inverse;
  check.rejects("weight 1 over p", options);
}

}  // namespace
}  // namespace pollen::laws
