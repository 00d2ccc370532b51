// lsd++ and qlsd++ on linear regression (docs/algorithms.md section 4). The law is periodic: phase p is the state after
// the rounds k ≡ p mod l, and ζ is refreshed at k ≡ 0, before that round's gradients.
#include <gtest/gtest.h>

#include <algorithm>

#include "check.h"

namespace pollen::laws {
namespace {

GradientLawOptions svrg(double step, int refresh) {
  GradientLawOptions options;
  options.step = step;
  options.oracle = Oracle::svrg;
  options.batch = 1;
  options.refresh = refresh;
  return options;
}

GradientLawOptions svrg_rand_k(double step, int refresh, std::optional<double> memory) {
  GradientLawOptions options = svrg(step, refresh);
  options.up = Coding::rand_k;
  options.memory = memory;
  return options;
}

// Returns what the phases would be if ζ were refreshed one round late.
std::vector<Law> a_round_late(const QuadraticProblem& problem, const GradientLawOptions& options) {
  std::vector<Law> laws = gradient_family_law(problem, options);
  std::ranges::rotate(laws, laws.end() - 1);
  return laws;
}

const Overrides kRandK = {"sampler.name=qlsd++", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1"};

Overrides with(Overrides list, const Overrides& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

// With identity compression and all clients present the memory cancels.
TEST(Svrg, LsdPlusPlus) {
  const Problem problem = regression();
  const GradientLawOptions options = svrg(0.05, 3);
  const Check check(problem, options, {"sampler.name=lsd++", "sampler.batch=1", "sampler.refresh=3"}, 18000);
  check.rejects("refreshed a round late", a_round_late(problem.exact, options));
  check.rejects("refreshed every round", problem.exact, svrg(0.05, 1));
  GradientLawOptions wrong = options;
  wrong.oracle = Oracle::minibatch;
  check.rejects("plain minibatches", problem.exact, wrong);
}

TEST(Svrg, LsdPlusPlusLongCycle) {
  const Problem problem = regression();
  const GradientLawOptions options = svrg(0.05, 4);
  const Check check(problem, options, {"sampler.name=lsd++", "sampler.batch=1", "sampler.refresh=4"}, 18000);
  check.rejects("refreshed a round late", a_round_late(problem.exact, options));
  check.rejects("refreshed every second round", problem.exact, svrg(0.05, 2));
}

TEST(Svrg, QlsdPlusPlusRandK) {
  const Problem problem = regression();
  const GradientLawOptions options = svrg_rand_k(0.03, 2, 0.5);  // 1/(ω+1) = k/d
  const Check check(problem, options, with(kRandK, {"sampler.refresh=2"}), 18000);
  check.rejects("no memory", problem.exact, svrg_rand_k(0.03, 2, std::nullopt));
  check.rejects("half the rate", problem.exact, svrg_rand_k(0.03, 2, 0.25));
  check.rejects("refreshed every round", problem.exact, svrg_rand_k(0.03, 1, 0.5));
}

TEST(Svrg, MemoryRate) {
  const Problem problem = regression();
  const GradientLawOptions options = svrg_rand_k(0.03, 3, 0.2);
  const Check check(problem, options, with(kRandK, {"sampler.refresh=3", "sampler.memory_rate=0.2"}), 18000);
  check.rejects("the default rate", problem.exact, svrg_rand_k(0.03, 3, 0.5));
}

TEST(Svrg, WithoutMemory) {
  const Problem problem = regression();
  const GradientLawOptions options = svrg_rand_k(0.03, 3, std::nullopt);
  const Check check(problem, options, with(kRandK, {"sampler.refresh=3", "sampler.memory=false"}), 18000);
  check.rejects("with memory", problem.exact, svrg_rand_k(0.03, 3, 0.5));
}

// The start is forgotten, so the law is the same for any η_0.
TEST(Svrg, MemoryFromTheFirstGradient) {
  const Problem problem = regression();
  const GradientLawOptions options = svrg_rand_k(0.03, 2, 0.5);
  const Check check(problem, options, with(kRandK, {"sampler.refresh=2", "sampler.memory_init=gradient"}), 18000);
  check.rejects("no memory", problem.exact, svrg_rand_k(0.03, 2, std::nullopt));
}

TEST(Svrg, PriorOnClients) {
  const Problem problem = regression();
  const GradientLawOptions options = svrg_rand_k(0.03, 2, 0.5);
  const Check check(problem, prior_on_clients(problem.exact), options,
                    with(kRandK, {"sampler.refresh=2", "sampler.prior_at=clients"}), 18000);
  check.rejects("the prior on the server", problem.exact, options);
}

TEST(Svrg, AbsentClients) {
  const Problem problem = regression();
  GradientLawOptions options = svrg_rand_k(0.02, 3, 0.2);
  options.participation = Attend::bernoulli_active;
  options.probability = {0.4, 0.4, 0.4};
  const Check check(problem, options,
                    with(kRandK, {"sampler.refresh=3", "sampler.memory_rate=0.2", "participation.policy=bernoulli",
                                  "participation.probability=0.4"}),
                    18000);
  GradientLawOptions wrong = options;
  wrong.memory = 0.2 / 0.4;
  check.rejects("memory rate α over p", problem.exact, wrong);
  wrong.memory.reset();
  check.rejects("no memory", problem.exact, wrong);
  wrong = options;
  wrong.participation = Attend::bernoulli_inverse;
  check.rejects("weight 1 over p", problem.exact, wrong);
}

}  // namespace
}  // namespace pollen::laws
