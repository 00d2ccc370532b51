// Participation and the weights of messages (docs/algorithms.md section 3), alone and with qlsd++'s memory.
#include <gtest/gtest.h>

#include "check.h"

namespace pollen::laws {
namespace {

GradientLawOptions partial(double step, Attend participation) {
  GradientLawOptions options;
  options.step = step;
  options.participation = participation;
  return options;
}

TEST(Participation, BernoulliActive) {
  const Problem problem = matrices();
  GradientLawOptions options = partial(0.06, Attend::bernoulli_active);
  options.probability = {0.5, 0.5, 0.5};
  const Check check(problem, options,
                    {"sampler.name=lsd", "participation.policy=bernoulli", "participation.probability=0.5"});
  GradientLawOptions wrong = options;
  wrong.participation = Attend::bernoulli_inverse;
  check.rejects("weight 1 over p", problem.exact, wrong);
  check.rejects("weight 1", with_clients_times({0.5, 0.5, 0.5}, problem.exact), wrong);
  wrong.participation = Attend::full;
  check.rejects("everyone", problem.exact, wrong);
}

TEST(Participation, BernoulliInverseOneP) {
  const Problem problem = matrices();
  GradientLawOptions options = partial(0.05, Attend::bernoulli_inverse);
  options.probability = {0.6, 0.6, 0.6};
  const Check check(problem, options,
                    {"sampler.name=lsd", "participation.policy=bernoulli", "participation.probability=0.6",
                     "participation.scaling=inverse-probability"});
  GradientLawOptions wrong = options;
  wrong.participation = Attend::bernoulli_active;
  check.rejects("weight b over |A|", problem.exact, wrong);
}

TEST(Participation, BernoulliInverseListOfP) {
  const Problem problem = matrices();
  GradientLawOptions options = partial(0.05, Attend::bernoulli_inverse);
  options.probability = {0.5, 0.9, 0.7};
  const Check check(
      problem, options,
      {"sampler.name=lsd", "participation.policy=bernoulli", "participation.probability=[0.5, 0.9, 0.7]"});
  GradientLawOptions wrong = options;
  wrong.probability = {0.7, 0.7, 0.7};
  check.rejects("the mean p for all", problem.exact, wrong);
  check.rejects("weight 1", with_clients_times(options.probability, problem.exact), options);
}

TEST(Participation, FixedSize) {
  const Problem problem = matrices();
  GradientLawOptions options = partial(0.06, Attend::fixed_size);
  options.size = 2;
  const Check check(problem, options, {"sampler.name=lsd", "participation.policy=fixed-size", "participation.size=2"});
  check.rejects("weight 1", with_clients_times({2. / 3, 2. / 3, 2. / 3}, problem.exact), options);
  GradientLawOptions wrong = options;
  wrong.participation = Attend::fixed_size_replacement;
  check.rejects("with replacement", problem.exact, wrong);
}

// Clients of 4, 3 and 2 rows are drawn with probabilities N_c/N.
TEST(Participation, FixedSizeWithReplacement) {
  const Problem problem = points();
  GradientLawOptions options = partial(0.05, Attend::fixed_size_replacement);
  options.size = 2;
  const Check check(problem, options,
                    {"sampler.name=lsd", "participation.policy=fixed-size", "participation.size=2",
                     "participation.replacement=true"});
  GradientLawOptions wrong = options;
  wrong.participation = Attend::fixed_size;
  check.rejects("without replacement", problem.exact, wrong);
}

TEST(Participation, EverythingAtOnce) {
  const Problem problem = points();
  GradientLawOptions options = partial(0.03, Attend::fixed_size_replacement);
  options.size = 3;
  options.oracle = Oracle::minibatch;
  options.batch = 2;
  options.up = Coding::rand_k;
  const Check check(problem, options,
                    {"sampler.name=qlsd#", "sampler.batch=2", "sampler.compressor=rand-k", "sampler.k=1",
                     "participation.policy=fixed-size", "participation.size=3", "participation.replacement=true"});
  GradientLawOptions wrong = options;
  wrong.participation = Attend::full;
  check.rejects("everyone", problem.exact, wrong);
}

// Keys of qlsd++'s memory with whole gradients: `custom` with the full oracle.
const Overrides kMemory = {"sampler.name=custom", "sampler.oracle=full", "sampler.compressor=rand-k", "sampler.k=2",
                           "sampler.memory=true"};

Overrides with_memory(const Overrides& more) {
  Overrides list = kMemory;
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

GradientLawOptions remembered(GradientLawOptions options) {
  options.up = Coding::rand_k;
  options.k = 2;
  options.memory = 2. / 3;
  return options;
}

TEST(ParticipationWithMemory, BernoulliActive) {
  const Problem problem = matrices();
  GradientLawOptions options = remembered(partial(0.05, Attend::bernoulli_active));
  options.probability = {0.4, 0.4, 0.4};
  const Check check(problem, options, with_memory({"participation.policy=bernoulli", "participation.probability=0.4"}));
  GradientLawOptions wrong = options;
  wrong.participation = Attend::bernoulli_inverse;
  check.rejects("weight 1 over p", problem.exact, wrong);
}

TEST(ParticipationWithMemory, BernoulliInverseOneP) {
  const Problem problem = matrices();
  GradientLawOptions options = remembered(partial(0.04, Attend::bernoulli_inverse));
  options.probability = {0.4, 0.4, 0.4};
  options.memory = 0.3;
  const Check check(problem, options,
                    with_memory({"participation.policy=bernoulli", "participation.probability=0.4",
                                 "participation.scaling=inverse-probability", "sampler.memory_rate=0.3"}));
  GradientLawOptions wrong = options;
  wrong.memory = 0.3 / 0.4;
  check.rejects("memory rate α over p", problem.exact, wrong);
  wrong.memory = 2. / 3;
  check.rejects("the default rate", problem.exact, wrong);
}

TEST(ParticipationWithMemory, BernoulliInverseListOfP) {
  const Problem problem = matrices();
  GradientLawOptions options = remembered(partial(0.05, Attend::bernoulli_inverse));
  options.probability = {0.4, 0.9, 0.5};
  options.memory = 0.3;
  const Check check(problem, options,
                    with_memory({"participation.policy=bernoulli", "participation.probability=[0.4, 0.9, 0.5]",
                                 "sampler.memory_rate=0.3"}));
  GradientLawOptions wrong = options;
  wrong.probability = {0.9, 0.4, 0.5};
  check.rejects("another client's p", problem.exact, wrong);
  wrong = options;
  wrong.memory.reset();
  check.rejects("no memory", problem.exact, wrong);
}

TEST(ParticipationWithMemory, FixedSize) {
  const Problem problem = matrices();
  GradientLawOptions options = remembered(partial(0.03, Attend::fixed_size));
  options.size = 1;
  const Check check(problem, options, with_memory({"participation.policy=fixed-size", "participation.size=1"}));
  GradientLawOptions wrong = options;
  wrong.memory.reset();
  check.rejects("no memory", problem.exact, wrong);
}

TEST(ParticipationWithMemory, FixedSizeWithReplacement) {
  const Problem problem = points();
  GradientLawOptions options = partial(0.03, Attend::fixed_size_replacement);
  options.size = 2;
  options.up = Coding::rand_k;
  options.memory = 0.5;
  const Check check(
      problem, options,
      {"sampler.name=custom", "sampler.oracle=full", "sampler.compressor=rand-k", "sampler.k=1", "sampler.memory=true",
       "participation.policy=fixed-size", "participation.size=2", "participation.replacement=true"});
  GradientLawOptions wrong = options;
  wrong.participation = Attend::fixed_size;
  check.rejects("without replacement", problem.exact, wrong);
}

// The clients disagree, and the memory keeps what an absent one would have said. The same p then costs less variance.
TEST(ParticipationWithMemory, LowersTheVariance) {
  const Problem problem = matrices();
  GradientLawOptions without = partial(0.05, Attend::bernoulli_active);
  without.probability = {0.5, 0.5, 0.5};
  GradientLawOptions with = without;
  with.memory = 1.0;
  const Law law_without = gradient_family_law(problem.exact, without).front();
  const Law law_with = gradient_family_law(problem.exact, with).front();
  EXPECT_LT(law_with.covariance.trace(), 0.8 * law_without.covariance.trace());
  const Overrides coins = {"sampler.name=custom", "sampler.oracle=full", "participation.policy=bernoulli",
                           "participation.probability=0.5"};
  Overrides memory = coins;
  memory.push_back("sampler.memory=true");
  const Check forgets(problem, without, coins);
  const Check remembers(problem, with, memory);
  const Estimate &low = remembers.run().kept, &high = forgets.run().kept;
  for (Eigen::Index j = 0; j < 3; ++j)
    EXPECT_GT(high.covariance(j, j) - low.covariance(j, j),
              kTellApart * std::hypot(low.covariance_error(j, j), high.covariance_error(j, j)));
}

}  // namespace
}  // namespace pollen::laws
