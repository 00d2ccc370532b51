// Compressed messages of local steps (docs/algorithms.md section 6), which are changes from what the server knows,
// behind a memory (τ = 1). rand-k has an exact law; qsgd is compared with a plain recursion with its own random
// numbers.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "averaging.h"
#include "support/norm.h"

namespace pollen::laws {
namespace {

AveragingLawOptions rand_k(double step, int steps, double memory) {
  AveragingLawOptions options;
  options.step = step;
  options.steps = steps;
  options.up = Coding::rand_k;
  options.memory = memory;
  return options;
}

TEST(LocalMessages, RandKWithMemory) {
  const AveragingLawOptions options = rand_k(0.06, 2, 0.5);
  const AveragingCheck check(lopsided(), options);
  AveragingLawOptions wrong = options;
  wrong.up = Coding::identity;
  check.rejects("no compression", wrong);
  check.rejects("no memory", rand_k(0.06, 2, 0));
  check.rejects("a slower memory", rand_k(0.06, 2, 0.1));
}

TEST(LocalMessages, RandKWithoutMemory) {
  const AveragingCheck check(lopsided(), rand_k(0.05, 2, 0));
  check.rejects("memory", rand_k(0.05, 2, 0.5));
}

TEST(LocalMessages, RandomGaps) {
  AveragingLawOptions options = rand_k(0.05, 1, 0.5);
  options.communicate = 0.5;
  const AveragingCheck check(lopsided(), options);
  check.rejects("every second step", rand_k(0.05, 2, 0.5));
}

TEST(LocalMessages, SomeClients) {
  AveragingLawOptions options = rand_k(0.05, 2, 0.3);
  options.participation = Attend::fixed_size;
  options.size = 2;
  const AveragingCheck check(lopsided(), options);
  check.rejects("everybody", rand_k(0.05, 2, 0.3));
  AveragingLawOptions wrong = options;
  wrong.memory = 0;
  check.rejects("no memory", wrong);
}

TEST(LocalMessages, ControlVariates) {
  AveragingLawOptions options = rand_k(0.06, 2, 0.5);
  options.refresh = 0.4;
  const AveragingCheck check(lopsided(), options);
  check.rejects("no control variates", rand_k(0.06, 2, 0.5));
}

using Vector = std::array<double, 2>;
using Random = std::mt19937_64;

// Compresses with one level: C_j(v) = ‖v‖ sign(v_j) 1{ξ_j < |v_j|/‖v‖}.
Vector qsgd(const Vector& v, Random& random) {
  const double norm = told_norm(std::hypot(v[0], v[1]));
  std::uniform_real_distribution<double> uniform;
  Vector sent{};
  for (std::size_t j = 0; j < 2; ++j)
    if (uniform(random) * norm < std::abs(v[j])) sent[j] = std::copysign(norm, v[j]);
  return sent;
}

// Makes one round of FALD with τ = 1, K steps and memories h of rate α: x ← x + n + H + (1/b) Σ C(x_i - x - n - h_i).
struct PlainFald {
  const QuadraticProblem& problem;
  double step, rate;
  int steps;
  Random random;
  Vector x{};
  std::array<Vector, 3> h{};

  Vector gradient(std::size_t client, const Vector& at) const {
    Vector g{};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      g[i] = problem.prior_precision(row) * at[i] / 3;
      for (const auto& term : problem.clients[client].terms)
        g[i] += term.curvature(row, 0) * at[0] + term.curvature(row, 1) * at[1] - term.shift(row);
    }
    return g;
  }
  void round() {
    std::normal_distribution<double> normal;
    std::array<Vector, 3> local{x, x, x};
    Vector known = x;
    for (int s = 0; s < steps; ++s) {
      const Vector noise = {std::sqrt(2 * step / 3) * normal(random), std::sqrt(2 * step / 3) * normal(random)};
      for (std::size_t c = 0; c < 3; ++c) {
        const Vector g = gradient(c, local[c]);
        for (std::size_t j = 0; j < 2; ++j) local[c][j] += noise[j] - step * g[j];
      }
      for (std::size_t j = 0; j < 2; ++j) known[j] += noise[j];
    }
    x = known;
    for (std::size_t c = 0; c < 3; ++c) {
      const Vector sent = qsgd({local[c][0] - known[0] - h[c][0], local[c][1] - known[1] - h[c][1]}, random);
      for (std::size_t j = 0; j < 2; ++j) {
        x[j] += (h[c][j] + sent[j]) / 3;
        h[c][j] += rate * sent[j];
      }
    }
  }
};

Estimate plain_moments(const QuadraticProblem& problem, double step, double rate) {
  Moments moments(problem.target().mean);
  for (int chain = 0; chain < 64; ++chain) {
    PlainFald plain{problem, step, rate, 2, Random(static_cast<std::uint64_t>(100 + chain))};
    for (int k = 0; k < 200; ++k) plain.round();
    for (int k = 0; k < 6000; ++k) {
      plain.round();
      moments.add(chain, Eigen::Vector2d(plain.x[0], plain.x[1]));
    }
  }
  return moments.estimate();
}

TEST(LocalMessages, QsgdAgainstAPlainRecursion) {
  const Problem problem = regression();  // its drifts are not along the axes, where qsgd would be exact
  AveragingLawOptions options;
  options.step = 0.15;
  options.steps = 2;
  const double rate = 1 / (1 + std::sqrt(2.0));  // α = 1/(ω+1), ω = min(d/s², √d/s)
  const Estimate run =
      sample_averages(problem, options, {"sampler.compressor=qsgd", "sampler.levels=1"}, kFixedGaps).front();
  const double far = distance(run, plain_moments(problem.exact, options.step, rate));
  EXPECT_LT(far, kAgree);
  EXPECT_GT(distance(run, plain_moments(problem.exact, options.step, 0)), kTellApart);
  EXPECT_GT(distance(run, averaging_family_law(problem.exact, options).front()), kTellApart);
  RecordProperty("worst_z", std::to_string(far));
}

}  // namespace
}  // namespace pollen::laws
