// lsd, lmc and qlsd with rand-k, that is, with whole gradients (docs/algorithms.md section 4): both places of the
// prior, likelihood = "mean", and a compressor per client.
#include <gtest/gtest.h>

#include "check.h"
#include "support/problems.h"

namespace pollen::laws {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(FullGradient, Lsd) {
  const Problem problem = matrices();
  GradientLawOptions options;
  options.step = 0.12;
  options.temperature = 1.7;
  const Check check(problem, options, {"sampler.name=lsd"});
  GradientLawOptions wrong = options;
  wrong.temperature = options.temperature / 2;
  check.rejects("noise √(γT)", problem.exact, wrong);
  wrong.temperature = 1;
  check.rejects("noise √(2γ) whatever T", problem.exact, wrong);
  check.rejects("the prior twice", with_prior_times(2, problem.exact), options);
  check.rejects("no prior", with_prior_times(0, problem.exact), options);
}

TEST(FullGradient, LmcIsLsd) {
  const Problem problem = matrices();
  GradientLawOptions options;
  options.step = 0.15;
  const Check check(problem, options, {"sampler.name=lmc"});
  const Overrides common = {"sampler.step=0.15", "run.iterations=50", "run.burn_in=0"};
  Overrides lsd = common, lmc = common;
  lsd.push_back("sampler.name=lsd");
  lmc.push_back("sampler.name=lmc");
  EXPECT_EQ(testing::sample(problem.text, lsd).draws, testing::sample(problem.text, lmc).draws);
}

TEST(FullGradient, LikelihoodMean) {
  Problem problem = points();
  const QuadraticProblem sum = problem.exact;
  std::vector<double> factors;
  for (const auto& client : sum.clients)
    factors.push_back(1 / static_cast<double>(sum.clients.size() * client.terms.size()));
  problem.exact = with_clients_times(factors, sum);
  GradientLawOptions options;
  options.step = 0.3;
  const Check check(problem, options, {"sampler.name=lsd", "model.likelihood=mean"});
  check.rejects("a mean over clients only", with_clients_times({1. / 3, 1. / 3, 1. / 3}, sum), options);
  check.rejects("one mean over all rows", with_clients_times({1. / 9, 1. / 9, 1. / 9}, sum), options);
}

TEST(FullGradient, PriorOnClients) {
  const Problem problem = matrices();
  GradientLawOptions options;
  options.step = 0.04;
  options.up = Coding::rand_k;
  options.k = 1;
  const Check check(problem, prior_on_clients(problem.exact), options,
                    {"sampler.name=qlsd", "sampler.compressor=rand-k", "sampler.k=1", "sampler.prior_at=clients"});
  check.rejects("the prior on the server", problem.exact, options);
  check.rejects("whole prior on every client", prior_on_clients(with_prior_times(3, problem.exact)), options);
}

// Returns the law of qlsd with rand-k as a list of outcomes: k[i] coordinates for client i, chosen for all clients
// together or separately.
Law rand_k_law(const QuadraticProblem& problem, double step, const std::vector<std::vector<std::vector<int>>>& kept) {
  const Eigen::Index d = problem.prior_precision.size();
  stats::Phase phase{{}, 2 * step * MatrixXd::Identity(d, d)};
  for (const auto& sets : kept) {  // one outcome is a set of coordinates per client
    MatrixXd a = MatrixXd::Identity(d, d);
    a.diagonal() -= step * problem.prior_precision;
    VectorXd b = VectorXd::Zero(d);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const auto& term = problem.clients[i].terms.front();
      for (const int j : sets[i]) {
        const double factor = step * static_cast<double>(d) / static_cast<double>(sets[i].size());
        a.row(j) -= factor * term.curvature.row(j);
        b(j) += factor * term.shift(j);
      }
    }
    phase.outcomes.push_back({1 / static_cast<double>(kept.size()), a, b});
  }
  return stationary(std::vector{phase}).front();
}

const std::vector<std::vector<int>> kOne = {{0}, {1}, {2}}, kTwo = {{0, 1}, {0, 2}, {1, 2}};

TEST(FullGradient, QlsdRandK) {
  const Problem problem = matrices();
  GradientLawOptions options;
  options.step = 0.06;
  options.up = Coding::rand_k;
  options.k = 2;
  const Check check(problem, options, {"sampler.name=qlsd", "sampler.compressor=rand-k", "sampler.k=2"});
  std::vector<std::vector<std::vector<int>>> together;
  for (const auto& set : kTwo) together.push_back({set, set, set});
  check.rejects("the same coordinates for all clients", {rand_k_law(problem.exact, options.step, together)});
  GradientLawOptions wrong = options;
  wrong.k = 1;
  check.rejects("k = 1", problem.exact, wrong);
  wrong.up = Coding::identity;
  check.rejects("no compression", problem.exact, wrong);
}

TEST(FullGradient, QlsdOneKAClient) {
  const Problem problem = matrices();
  const char* k = "k = 1\n";
  Problem own = problem;  // the first client keeps one coordinate, the second two, the third all three
  for (std::size_t at = own.text.find("mean ="); at != std::string::npos; at = own.text.find("mean =", at + 20)) {
    own.text.insert(at, k);
    k = k == std::string("k = 1\n") ? "k = 2\n" : "k = 3\n";
  }
  std::vector<std::vector<std::vector<int>>> kept, swapped;
  for (const auto& one : kOne)
    for (const auto& two : kTwo) kept.push_back({one, two, {0, 1, 2}}), swapped.push_back({two, one, {0, 1, 2}});
  GradientLawOptions options;
  options.step = 0.06;
  const Check check(own, {rand_k_law(problem.exact, options.step, kept)}, options,
                    {"sampler.name=qlsd", "sampler.compressor=rand-k"});
  check.rejects("another client's k", {rand_k_law(problem.exact, options.step, swapped)});
}

}  // namespace
}  // namespace pollen::laws
