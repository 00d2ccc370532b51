// Coded Langevin (docs/coded-langevin.md): the errors of messages are the noise of the step, so the law is that of the
// uncompressed sampler, whoever takes part. clsd++ under partial participation has a law of its own and is compared
// with a plain recursion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "check.h"

namespace pollen::laws {
namespace {

Overrides plus(Overrides list, const Overrides& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

const Overrides kTight = {"sampler.mode_tolerance=1e-9"};

GradientLawOptions around_mode(const Problem& problem, double step) {
  GradientLawOptions options;
  options.step = step;
  options.oracle = Oracle::fixed_point;
  options.batch = 100;  // all rows
  options.anchor = problem.exact.target().mean;
  return options;
}

// Expects clsd* to have the law, and qlsd* with one level per coordinate to be far from it.
void expect_law(const Problem& problem, const GradientLawOptions& options, const Overrides& overrides) {
  const Check check(problem, options, plus(plus({"sampler.name=clsd*"}, kTight), overrides));
  const Sampled quantised =
      sample_moments(problem, options.step, options.temperature,
                     plus(plus({"sampler.name=qlsd*", "sampler.levels=1"}, kTight), overrides), 6000);
  EXPECT_GT(distance(quantised.kept, gradient_family_law(problem.exact, options).front()), kTellApart);
}

TEST(CodedStar, FullParticipation) {
  const Problem problem = matrices();
  expect_law(problem, around_mode(problem, 0.1), {});
}

// Half of the noise is the server's.
TEST(CodedStar, HalfTheNoiseAtAnotherTemperature) {
  const Problem problem = matrices();
  GradientLawOptions options = around_mode(problem, 0.1);
  options.temperature = 0.4;
  const Check check(problem, options, plus({"sampler.name=clsd*", "sampler.noise_share=0.5"}, kTight));
  for (const double factor : {0.5, 1.5}) {  // one part of the noise is missing, or comes twice
    GradientLawOptions wrong = options;
    wrong.temperature *= factor;
    check.rejects(factor < 1 ? "half the noise" : "the server's noise in full", problem.exact, wrong);
  }
}

TEST(CodedStar, BernoulliActive) {
  const Problem problem = matrices();
  GradientLawOptions options = around_mode(problem, 0.06);
  options.participation = Attend::bernoulli_active;
  options.probability = {0.5, 0.5, 0.5};
  expect_law(problem, options, {"participation.policy=bernoulli", "participation.probability=0.5"});
}

// A round without participants, one in fifty, has all its noise from the server.
TEST(CodedStar, InverseProbabilities) {
  const Problem problem = matrices();
  GradientLawOptions options = around_mode(problem, 0.06);
  options.participation = Attend::bernoulli_inverse;
  options.probability = {0.5, 0.9, 0.6};
  expect_law(problem, options,
             {"participation.policy=bernoulli", "participation.probability=[0.5, 0.9, 0.6]",
              "participation.scaling=inverse-probability"});
}

TEST(CodedStar, FixedSizeWithReplacement) {
  const Problem problem = matrices();
  GradientLawOptions options = around_mode(problem, 0.05);
  options.participation = Attend::fixed_size_replacement;
  options.size = 2;
  expect_law(problem, options,
             {"participation.policy=fixed-size", "participation.size=2", "participation.replacement=true"});
}

TEST(CodedStar, MinibatchNoiseComesOnTop) {
  const Problem problem = regression();
  GradientLawOptions options = around_mode(problem, 0.05);
  options.batch = 1;
  const Check check(problem, options, plus({"sampler.name=clsd*", "sampler.batch=1"}, kTight));
  check.rejects("all rows", problem.exact, around_mode(problem, 0.05));
}

TEST(CodedStar, PriorOnClients) {
  const Problem problem = matrices();
  GradientLawOptions options = around_mode(problem, 0.05);
  options.participation = Attend::bernoulli_active;
  options.probability = {0.5, 0.5, 0.5};
  const Check check(problem, prior_on_clients(problem.exact), options,
                    plus({"sampler.name=clsd*", "sampler.prior_at=clients", "participation.policy=bernoulli",
                          "participation.probability=0.5"},
                         kTight));
}

// The code may be used by samplers without a reference, too; messages are longer then.
TEST(CodedStar, WithoutAReference) {
  const Problem problem = matrices();
  GradientLawOptions options;
  options.step = 0.1;
  const Check check(problem, options, {"sampler.name=lsd", "sampler.compressor=coded"});
}

TEST(CodedPlusPlus, FullParticipationIsLsdPlusPlus) {
  const Problem problem = regression();
  GradientLawOptions options;
  options.step = 0.05;
  options.oracle = Oracle::svrg;
  options.batch = 1;
  options.refresh = 3;
  const Check check(problem, options, {"sampler.name=clsd++", "sampler.batch=1", "sampler.refresh=3"}, 18000);
  GradientLawOptions wrong = options;
  wrong.refresh = 1;
  check.rejects("refreshed every round", problem.exact, wrong);
}

// clsd++ written from its definition, for all chains side by side, because they share what a client's code learns.
class PlainPlusPlus {
 public:
  static constexpr std::size_t kDimension = 2, kChains = 64;
  using Vector = std::array<double, kDimension>;

  PlainPlusPlus(const QuadraticProblem& problem, double step, double probability, int refresh)
      : problem_(problem), step_(step), refresh_(refresh), coin_(probability), clients_(problem.clients.size()) {}

  const Vector& position(std::size_t chain) const { return x_[chain]; }

  void round() {
    const bool refreshes = k_++ % refresh_ == 0;
    std::array<Vector, kChains> sum{};
    std::array<std::vector<bool>, kChains> active;
    for (auto& coins : active) {
      coins.assign(clients_.size(), false);
      while (std::ranges::count(coins, true) == 0)
        for (std::size_t i = 0; i < coins.size(); ++i) coins[i] = coin_(random_);
    }
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      double steps = 0, messages = 0;
      for (std::size_t c = 0; c < kChains; ++c)
        if (active[c][i]) {
          const auto present = static_cast<double>(std::ranges::count(active[c], true));
          const double weight = static_cast<double>(clients_.size()) / present;
          answer(i, c, refreshes, weight, std::sqrt(2 / (step_ * present)) / weight, steps, sum[c]);
          ++messages;
        }
      if (messages > 0) clients_[i].learn(steps / (messages * kDimension));
    }
    for (std::size_t c = 0; c < kChains; ++c)
      for (std::size_t j = 0; j < kDimension; ++j) {
        double g = problem_.prior_precision(static_cast<Eigen::Index>(j)) * x_[c][j] + sum[c][j];
        for (const Client& client : clients_) g += client.reference[c][j];
        x_[c][j] -= step_ * g;
      }
  }

 private:
  struct Client {
    std::array<Vector, kChains> reference{}, anchor{};
    std::array<bool, kChains> anchored{};
    double mean = 1 / M_PI, updates = 0;
    void learn(double found) {
      mean += std::max(1.0 / 400, 1 / (updates++ + 2)) * (found - mean);
      mean = std::max(mean, 0.002);
    }
  };

  void answer(std::size_t i, std::size_t c, bool refreshes, double weight, double spread, double& steps, Vector& sum) {
    Client& client = clients_[i];
    const auto& rows = problem_.clients[i].terms;
    Vector v{};
    if (refreshes || !client.anchored[c]) {
      std::uniform_int_distribution<std::size_t> pick(0, rows.size() - 1);
      const std::size_t one = pick(random_);
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (refreshes || r == one) add(rows[r], x_[c], refreshes ? 1 : static_cast<double>(rows.size()), v);
    } else {
      std::uniform_int_distribution<std::size_t> pick(0, rows.size() - 1);
      for (const auto& row : rows) add(row, client.anchor[c], 1, v);
      const auto& row = rows[pick(random_)];
      add(row, x_[c], static_cast<double>(rows.size()), v);
      add(row, client.anchor[c], -static_cast<double>(rows.size()), v);
    }
    for (std::size_t j = 0; j < kDimension; ++j) {
      double ignored = 0;
      if (refreshes)
        client.reference[c][j] += quantised(v[j] - client.reference[c][j], M_PI * client.mean * spread / 2, ignored);
      sum[j] += weight * quantised(v[j] - client.reference[c][j], spread, steps);
    }
    if (refreshes) client.anchor[c] = x_[c], client.anchored[c] = true;
  }

  static void add(const stats::QuadraticTerm& row, const Vector& at, double factor, Vector& to) {
    for (std::size_t i = 0; i < kDimension; ++i) {
      const auto a = static_cast<Eigen::Index>(i);
      to[i] += factor * (row.curvature(a, 0) * at[0] + row.curvature(a, 1) * at[1] - row.shift(a));
    }
  }

  double quantised(double v, double spread, double& steps) {
    std::uniform_real_distribution<double> uniform;
    const double x = normal_(random_), t = (1 - uniform(random_)) * std::exp(-x * x / 2), u = uniform(random_) - 0.5;
    const double far = std::sqrt(-2 * std::log(t)), near = std::sqrt(-2 * std::log1p(-t));
    const double left = x < 0 ? -far : -near, right = x < 0 ? near : far, width = spread * (far + near);
    const double k = std::round(v / width - u);
    steps += std::abs(k);
    return (k + u) * width + spread * (left + right) / 2;
  }

  QuadraticProblem problem_;
  double step_;
  int refresh_, k_ = 0;
  std::bernoulli_distribution coin_;
  std::mt19937_64 random_{20261119};
  std::normal_distribution<double> normal_;
  std::vector<Client> clients_;
  std::array<Vector, kChains> x_{};
};

TEST(CodedPlusPlus, PartialParticipationHasItsOwnLaw) {
  constexpr int kRefresh = 3, kIterations = 24000;
  constexpr double kStep = 0.05;
  const Problem problem = regression();
  PlainPlusPlus plain(problem.exact, kStep, 0.5, kRefresh);
  std::vector<Moments> moments(kRefresh, Moments(problem.exact.target().mean));
  for (int k = 0; k < 300 + kIterations; ++k) {
    plain.round();
    for (std::size_t c = 0; k >= 300 && c < PlainPlusPlus::kChains; ++c)
      moments[static_cast<std::size_t>(k % kRefresh)].add(static_cast<Eigen::Index>(c),
                                                          Eigen::Vector2d(plain.position(c)[0], plain.position(c)[1]));
  }
  const Overrides coins = {"participation.policy=bernoulli", "participation.probability=0.5", "sampler.batch=1",
                           "sampler.refresh=3"};
  const Sampled run = sample_moments(problem, kStep, 1, plus({"sampler.name=clsd++"}, coins), 12000, kRefresh);
  const Sampled other = sample_moments(problem, kStep, 1, plus({"sampler.name=lsd++"}, coins), 6000, kRefresh);
  double furthest = 0, apart = 0;
  for (std::size_t p = 0; p < kRefresh; ++p) {
    furthest = std::max(furthest, distance(run.phases[p], moments[p].estimate()));
    apart = std::max(apart, distance(other.phases[p], moments[p].estimate()));
  }
  EXPECT_LT(furthest, kAgree);
  EXPECT_GT(apart, kTellApart) << "lsd++'s memory is another";
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", furthest));
}

}  // namespace
}  // namespace pollen::laws
