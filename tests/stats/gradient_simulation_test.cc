// Compares laws of the gradient family with a plain simulation of docs/algorithms.md, which shares no code with the
// laws or the samplers: mean and covariance within 4 standard errors (batch means over 600,000 cycles). The steps are
// small enough for finite fourth moments; nearer the limit of mean-square stability a covariance has no standard error.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "stats/exact_law.h"
#include "problems.h"

namespace pollen::stats {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Oracle = GradientLawOptions::Oracle;
using Compressor = GradientLawOptions::Compressor;
using Participation = GradientLawOptions::Participation;

class Simulation {
 public:
  Simulation(const QuadraticProblem& problem, const GradientLawOptions& options)
      : options_(options), prior_(problem.prior_precision), clients_(problem.clients.size()) {
    for (std::size_t i = 0; i < clients_.size(); ++i)
      for (const QuadraticTerm& term : problem.clients[i].terms)
        clients_[i].rows.push_back({term.curvature, term.shift});
  }

  const Vector2d& position() const { return theta_; }

  void round(int k) {
    if (options_.oracle == Oracle::svrg && k % options_.refresh == 0) zeta_ = theta_;
    const Vector2d seen = broadcast();
    Vector2d g = prior_.cwiseProduct(theta_);
    for (const Client& client : clients_) {
      g += client.memory;
      if (options_.oracle == Oracle::fixed_point) g += sum_gradient(client, Vector2d(options_.anchor));
    }
    const std::vector<double> weights = participants();
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (weights[i] == 0) continue;
      Client& client = clients_[i];
      const Vector2d sent = compress(options_.up, options_.k, estimate(client, seen) - client.memory);
      g += (options_.error_feedback ? 1.0 : weights[i]) * sent;
      if (options_.error_feedback) client.memory += sent;
      if (options_.memory) client.memory += *options_.memory * sent;
    }
    const Vector2d noise(normal_(random_), normal_(random_));
    theta_ += -options_.step * g + std::sqrt(2 * options_.step * options_.temperature) * noise;
  }

 private:
  struct Row {
    Matrix2d curvature;
    Vector2d shift;
    Vector2d gradient(const Vector2d& x) const { return curvature * x - shift; }
  };
  struct Client {
    std::vector<Row> rows;
    Vector2d memory = Vector2d::Zero();
  };

  static Vector2d sum_gradient(const Client& client, const Vector2d& x) {
    Vector2d sum = Vector2d::Zero();
    for (const Row& row : client.rows) sum += row.gradient(x);
    return sum;
  }

  std::vector<std::size_t> subset(std::size_t n, std::size_t k) {
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t i = 0; i < k; ++i)
      std::swap(all[i], all[std::uniform_int_distribution<std::size_t>(i, n - 1)(random_)]);
    all.resize(k);
    return all;
  }

  Vector2d compress(Compressor compressor, int k, const Vector2d& v) {
    if (compressor == Compressor::identity) return v;
    Vector2d result = Vector2d::Zero();
    for (const std::size_t j : subset(2, static_cast<std::size_t>(k))) {
      const auto at = static_cast<Eigen::Index>(j);
      result(at) = v(at) * (compressor == Compressor::rand_k ? 2.0 / k : 1.0);
    }
    return result;
  }

  Vector2d broadcast() {
    if (!options_.down_feedback) return theta_;
    shared_ += compress(options_.down, options_.down_k, theta_ - shared_);
    return shared_;
  }

  Vector2d estimate(const Client& client, const Vector2d& x) {
    const std::size_t n = client.rows.size();
    if (options_.oracle == Oracle::full) return sum_gradient(client, x);
    Vector2d sum = Vector2d::Zero();
    const std::size_t batch = std::min(n, static_cast<std::size_t>(options_.batch));
    for (const std::size_t j : subset(n, batch)) {
      sum += client.rows[j].gradient(x);
      if (options_.oracle == Oracle::svrg) sum -= client.rows[j].gradient(zeta_);
      if (options_.oracle == Oracle::fixed_point) sum -= client.rows[j].gradient(Vector2d(options_.anchor));
    }
    sum *= static_cast<double>(n) / static_cast<double>(batch);
    return options_.oracle == Oracle::svrg ? Vector2d(sum + sum_gradient(client, zeta_)) : sum;
  }

  std::vector<double> participants() {
    const std::size_t b = clients_.size();
    std::vector<double> weights(b, 0.0);
    const auto clients = static_cast<double>(b);
    switch (options_.participation) {
      case Participation::full:
        return std::vector<double>(b, 1.0);
      case Participation::bernoulli_active: {
        double active = 0;
        while (active == 0)
          for (std::size_t i = 0; i < b; ++i) active += weights[i] = coin(options_.probability[i]);
        for (double& w : weights) w *= clients / active;
        return weights;
      }
      case Participation::bernoulli_inverse:
        for (std::size_t i = 0; i < b; ++i) weights[i] = coin(options_.probability[i]) / options_.probability[i];
        return weights;
      case Participation::fixed_size:
        for (const std::size_t i : subset(b, static_cast<std::size_t>(options_.size)))
          weights[i] = clients / options_.size;
        return weights;
      case Participation::fixed_size_replacement:
        for (int s = 0; s < options_.size; ++s) add_drawn(weights);
        return weights;
    }
    return weights;
  }

  // Draws one client with probability N_c/N, as the client of a uniformly drawn row.
  void add_drawn(std::vector<double>& weights) {
    std::size_t total = 0, client = 0;
    for (const Client& c : clients_) total += c.rows.size();
    std::size_t row = std::uniform_int_distribution<std::size_t>(0, total - 1)(random_);
    while (row >= clients_[client].rows.size()) row -= clients_[client++].rows.size();
    const double share = static_cast<double>(clients_[client].rows.size()) / static_cast<double>(total);
    weights[client] += 1 / (options_.size * share);
  }

  double coin(double p) { return uniform_(random_) < p ? 1.0 : 0.0; }

  const GradientLawOptions& options_;
  Vector2d prior_, theta_ = Vector2d::Zero(), shared_ = Vector2d::Zero(), zeta_ = Vector2d::Zero();
  std::vector<Client> clients_;
  std::mt19937_64 random_{20240607};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

constexpr int kBatches = 300, kCycles = 2000;  // cycles per batch
using Numbers = std::array<double, 5>;         // mean, then the upper triangle of the covariance

// Returns the five numbers of a state whose averages the law predicts, centred at the law's mean.
Numbers numbers(const Vector2d& x, const Law& law) {
  const Vector2d y = x - Vector2d(law.mean);
  return {y(0), y(1), y(0) * y(0), y(0) * y(1), y(1) * y(1)};
}

Numbers expected(const Law& law) { return {0, 0, law.covariance(0, 0), law.covariance(0, 1), law.covariance(1, 1)}; }

void expect_average(const std::vector<Numbers>& batches, const Numbers& theory, double scale) {
  for (std::size_t q = 0; q < theory.size(); ++q) {
    double mean = 0, square = 0;
    for (const Numbers& batch : batches) mean += batch[q] / kBatches;
    for (const Numbers& batch : batches) square += (batch[q] - mean) * (batch[q] - mean);
    const double error = std::sqrt(square / (kBatches - 1) / kBatches);
    EXPECT_LT(std::abs(mean - theory[q]), 4 * error) << "number " << q << ": " << mean << ", not " << theory[q];
    EXPECT_LT(error, 0.01 * (q < 2 ? std::sqrt(scale) : scale)) << "too few draws to tell";
  }
}

void expect_simulation_agrees(const GradientLawOptions& options) {
  const QuadraticProblem problem = regression_problem();
  const std::vector<Law> laws = gradient_family_law(problem, options);
  Simulation simulation(problem, options);
  std::vector<std::vector<Numbers>> batches(laws.size(), std::vector<Numbers>(kBatches, Numbers{}));
  int k = 0;
  for (; k < 500 * static_cast<int>(laws.size()); ++k) simulation.round(k);
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      for (std::size_t phase = 0; phase < laws.size(); ++phase, ++k) {
        simulation.round(k);
        const Numbers seen = numbers(simulation.position(), laws[phase]);
        for (std::size_t q = 0; q < seen.size(); ++q) batches[phase][batch][q] += seen[q] / kCycles;
      }
    }
  }
  // The test is only meaningful if the law differs visibly from the target.
  EXPECT_GT((laws[0].covariance - problem.target().covariance).norm(), 0.05 * problem.target().covariance.norm());
  for (std::size_t phase = 0; phase < laws.size(); ++phase) {
    SCOPED_TRACE("phase " + std::to_string(phase));
    expect_average(batches[phase], expected(laws[phase]), laws[phase].covariance.trace());
  }
}

TEST(Simulation, SvrgWithMemoryCoinsAndRandK) {
  GradientLawOptions options;
  options.step = 0.04;
  options.oracle = Oracle::svrg;
  options.refresh = 3;
  options.batch = 1;
  options.up = Compressor::rand_k;
  options.memory = 0.5;
  options.participation = Participation::bernoulli_active;
  options.probability = {0.6, 0.6, 0.6};
  expect_simulation_agrees(options);
}

TEST(Simulation, ErrorFeedbackBothWays) {
  GradientLawOptions options;
  options.step = 0.025;
  options.up = options.down = Compressor::scaled_rand_k;
  options.error_feedback = options.down_feedback = true;
  expect_simulation_agrees(options);
}

TEST(Simulation, ErrorFeedbackWithAbsentClients) {
  GradientLawOptions options;
  options.step = 0.04;
  options.temperature = 1.5;
  options.up = Compressor::scaled_rand_k;
  options.error_feedback = true;
  options.participation = Participation::fixed_size;
  options.size = 2;
  expect_simulation_agrees(options);
}

TEST(Simulation, DownlinkFeedbackAlone) {
  GradientLawOptions options;
  options.step = 0.025;
  options.down = Compressor::scaled_rand_k;
  options.down_feedback = true;
  options.participation = Participation::bernoulli_inverse;
  options.probability = {0.9, 0.7, 0.8};
  expect_simulation_agrees(options);
}

TEST(Simulation, MinibatchRandKInverseProbability) {
  GradientLawOptions options;
  options.step = 0.03;
  options.oracle = Oracle::minibatch;
  options.batch = 2;
  options.up = Compressor::rand_k;
  options.participation = Participation::bernoulli_inverse;
  options.probability = {0.5, 0.8, 0.9};
  expect_simulation_agrees(options);
}

TEST(Simulation, FixedPointWithReplacement) {
  GradientLawOptions options;
  options.step = 0.05;
  options.oracle = Oracle::fixed_point;
  options.anchor = Vector2d(0.4, -0.3);
  options.batch = 1;
  options.participation = Participation::fixed_size_replacement;
  options.size = 2;
  expect_simulation_agrees(options);
}

TEST(Simulation, MemoryWithReplacement) {
  GradientLawOptions options;
  options.step = 0.03;
  options.up = Compressor::rand_k;
  options.memory = 0.4;
  options.participation = Participation::fixed_size_replacement;
  options.size = 2;
  expect_simulation_agrees(options);
}

}  // namespace
}  // namespace pollen::stats
