// sgld and qlsd# on gaussian data; lsd* and qlsd* on linear regression, whose rows have different curvatures
// (docs/algorithms.md sections 1 and 4).
#include <gtest/gtest.h>

#include "check.h"

namespace pollen::laws {
namespace {

TEST(Minibatch, Sgld) {
  const Problem problem = points();
  GradientLawOptions options;
  options.step = 0.05;
  options.oracle = Oracle::minibatch;
  options.batch = 2;
  const Check check(problem, options, {"sampler.name=sgld", "sampler.batch=2"});
  GradientLawOptions wrong = options;
  wrong.batch = 1;
  check.rejects("with replacement", pairs_with_replacement(problem.exact), wrong);
  check.rejects("batches of one", problem.exact, wrong);
  wrong.batch = 0;
  check.rejects("all rows", problem.exact, wrong);
}

TEST(Minibatch, SgldOnRegression) {
  const Problem problem = regression();
  GradientLawOptions options;
  options.step = 0.04;
  options.temperature = 0.6;
  options.oracle = Oracle::minibatch;
  options.batch = 1;
  const Check check(problem, options, {"sampler.name=sgld", "sampler.batch=1"});
  GradientLawOptions wrong = options;
  wrong.batch = 2;
  check.rejects("batches of two", problem.exact, wrong);
}

TEST(Minibatch, QlsdSharp) {
  const Problem problem = points();
  GradientLawOptions options;
  options.step = 0.035;
  options.oracle = Oracle::minibatch;
  options.batch = 1;
  options.up = Coding::rand_k;
  const Check check(problem, options,
                    {"sampler.name=qlsd#", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1"});
  GradientLawOptions wrong = options;
  wrong.up = Coding::identity;
  check.rejects("no compression", problem.exact, wrong);
  wrong = options;
  wrong.oracle = Oracle::full;
  check.rejects("all rows", problem.exact, wrong);
}

TEST(Minibatch, PriorOnClients) {
  const Problem problem = points();
  GradientLawOptions options;
  options.step = 0.035;
  options.oracle = Oracle::minibatch;
  options.batch = 1;
  options.up = Coding::rand_k;
  const Check check(problem, prior_on_clients(problem.exact), options,
                    {"sampler.name=qlsd#", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1",
                     "sampler.prior_at=clients"});
  check.rejects("the prior on the server", problem.exact, options);
}

GradientLawOptions fixed_point(const Problem& problem, double step) {
  GradientLawOptions options;
  options.step = step;
  options.oracle = Oracle::fixed_point;
  options.batch = 1;
  options.anchor = problem.exact.target().mean;
  return options;
}

TEST(FixedPoint, LsdStar) {
  const Problem problem = regression();
  const GradientLawOptions options = fixed_point(problem, 0.05);
  const Check check(problem, options, {"sampler.name=lsd*", "sampler.batch=1", "sampler.mode_tolerance=1e-9"});
  GradientLawOptions wrong = options;
  wrong.oracle = Oracle::minibatch;
  check.rejects("plain minibatches", problem.exact, wrong);
  wrong.oracle = Oracle::full;
  check.rejects("all rows", problem.exact, wrong);
  wrong = options;
  wrong.batch = 2;
  check.rejects("batches of two", problem.exact, wrong);
}

TEST(FixedPoint, QlsdStarRandK) {
  const Problem problem = regression();
  const GradientLawOptions identity = fixed_point(problem, 0.035);
  GradientLawOptions options = identity;
  options.up = Coding::rand_k;
  const Check check(problem, options,
                    {"sampler.name=qlsd*", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1",
                     "sampler.mode_tolerance=1e-9"});
  check.rejects("no compression", problem.exact, identity);
  GradientLawOptions wrong = options;
  wrong.oracle = Oracle::minibatch;
  check.rejects("plain minibatches", problem.exact, wrong);
}

// A mode finder that stops at once leaves θ̂ = 0, which gives more variance but the same mean.
TEST(FixedPoint, LooseModeCostsVarianceNotBias) {
  const Problem problem = regression();
  const GradientLawOptions tight = fixed_point(problem, 0.04);
  GradientLawOptions options = tight;
  options.anchor.setZero();
  options.up = Coding::rand_k;
  const Law law = gradient_family_law(problem.exact, options).front();
  EXPECT_LT((law.mean - problem.exact.target().mean).norm(), 1e-10);
  const Check check(problem, options,
                    {"sampler.name=qlsd*", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1",
                     "sampler.mode_tolerance=1e6"});
  GradientLawOptions wrong = options;
  wrong.anchor = tight.anchor;
  check.rejects("at the mode", problem.exact, wrong);
}

TEST(FixedPoint, PriorOnClients) {
  const Problem problem = regression();
  GradientLawOptions options = fixed_point(problem, 0.035);
  options.up = Coding::rand_k;
  const Check check(problem, prior_on_clients(problem.exact), options,
                    {"sampler.name=qlsd*", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1",
                     "sampler.mode_tolerance=1e-9", "sampler.prior_at=clients"});
  check.rejects("the prior on the server", problem.exact, options);
}

}  // namespace
}  // namespace pollen::laws
