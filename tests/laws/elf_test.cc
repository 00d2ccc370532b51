// Error feedback with scaled(rand-k) (docs/algorithms.md section 5), whose laws are exact: upwards, downwards and both.
#include <gtest/gtest.h>

#include "check.h"

namespace pollen::laws {
namespace {

GradientLawOptions elf(double step, bool up, bool down) {
  GradientLawOptions options;
  options.step = step;
  options.error_feedback = up;
  options.down_feedback = down;
  options.k = options.down_k = 2;
  if (up) options.up = Coding::scaled_rand_k;
  if (down) options.down = Coding::scaled_rand_k;
  return options;
}

Overrides sampler(const std::string& name, const Overrides& more = {}) {
  Overrides list = {"sampler.name=" + name, "sampler.compressor=rand-k", "sampler.k=2", "sampler.scaled=true"};
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

TEST(Elf, Up) {
  const Problem problem = matrices();
  GradientLawOptions options = elf(0.06, true, false);
  options.temperature = 1.4;
  const Check check(problem, options, sampler("d-elf"));
  GradientLawOptions wrong = options;
  wrong.k = 1;
  check.rejects("k = 1", problem.exact, wrong);
  wrong.up = Coding::identity;
  check.rejects("lmc", problem.exact, wrong);
  wrong = options;
  wrong.temperature = 0.7;
  check.rejects("noise √γ", problem.exact, wrong);
  check.rejects("the prior compressed too", prior_on_clients(problem.exact), options);
}

TEST(Elf, Down) {
  const Problem problem = matrices();
  const GradientLawOptions options = elf(0.05, false, true);
  const Check check(problem, options, sampler("p-elf"));
  check.rejects("the prior at w", prior_on_clients(problem.exact), options);
  check.rejects("lmc", problem.exact, elf(options.step, false, false));
  check.rejects("d-elf", problem.exact, elf(options.step, true, false));
}

TEST(Elf, Both) {
  const Problem problem = matrices();
  const GradientLawOptions options = elf(0.04, true, true);
  const Check check(problem, options, sampler("b-elf"));
  check.rejects("d-elf", problem.exact, elf(options.step, true, false));
  check.rejects("p-elf", problem.exact, elf(options.step, false, true));
  check.rejects("the prior at w", prior_on_clients(problem.exact), options);
}

TEST(Elf, BothWithTwoSizes) {
  const Problem problem = matrices();
  GradientLawOptions options = elf(0.03, true, true);
  options.down_k = 1;
  const Check check(problem, options, sampler("b-elf", {"sampler.downlink=rand-k", "sampler.downlink_k=1"}));
  GradientLawOptions wrong = options;
  std::swap(wrong.k, wrong.down_k);
  check.rejects("sizes swapped", problem.exact, wrong);
}

// An absent client keeps g^i and nothing is reweighted, so the drift is stale.
TEST(Elf, UpWithAbsentClients) {
  const Problem problem = matrices();
  GradientLawOptions options = elf(0.04, true, false);
  options.participation = Attend::fixed_size;
  options.size = 2;
  const Check check(problem, options, sampler("d-elf", {"participation.policy=fixed-size", "participation.size=2"}));
  GradientLawOptions wrong = options;
  wrong.error_feedback = false;
  wrong.memory = 1.0;
  check.rejects("increments reweighted", problem.exact, wrong);
  check.rejects("everyone", problem.exact, elf(options.step, true, false));
}

TEST(Elf, UpWithCoins) {
  const Problem problem = matrices();
  GradientLawOptions options = elf(0.04, true, false);
  options.participation = Attend::bernoulli_inverse;
  options.probability = {0.5, 0.9, 0.7};
  const Check check(problem, options,
                    sampler("d-elf", {"participation.policy=bernoulli", "participation.probability=[0.5, 0.9, 0.7]"}));
  check.rejects("everyone", problem.exact, elf(options.step, true, false));
}

// The whole gradients of p-elf are weighted like any other message.
TEST(Elf, DownWithAbsentClients) {
  const Problem problem = matrices();
  GradientLawOptions options = elf(0.04, false, true);
  options.participation = Attend::bernoulli_active;
  options.probability = {0.6, 0.6, 0.6};
  const Check check(problem, options,
                    sampler("p-elf", {"participation.policy=bernoulli", "participation.probability=0.6"}));
  check.rejects("everyone", problem.exact, elf(options.step, false, true));
}

TEST(Elf, BothWithAbsentClients) {
  const Problem problem = matrices();
  GradientLawOptions options = elf(0.03, true, true);
  options.participation = Attend::fixed_size;
  options.size = 2;
  const Check check(problem, options, sampler("b-elf", {"participation.policy=fixed-size", "participation.size=2"}));
  check.rejects("everyone", problem.exact, elf(options.step, true, true));
}

// Minibatches go up and a compressed broadcast goes down, which is a combination that only a user would build.
TEST(Elf, CustomDownlinkWithMinibatches) {
  const Problem problem = regression();
  GradientLawOptions options;
  options.step = 0.03;
  options.oracle = Oracle::minibatch;
  options.batch = 2;
  options.down = Coding::scaled_rand_k;
  options.down_feedback = true;
  const Check check(problem, options,
                    {"sampler.name=custom", "sampler.oracle=minibatch", "sampler.batch=2", "sampler.downlink=rand-k",
                     "sampler.downlink_k=1", "sampler.scaled=true"});
  check.rejects("the prior at w", prior_on_clients(problem.exact), options);
}

}  // namespace
}  // namespace pollen::laws
