// VR-FALD* with one client and p_c = 1 is a loopless SVRG recursion in which the anchor set to X_k is used from step
// k+1 on (docs/algorithms.md section 10). It must give the same chain from the same random numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pollen/random.h"
#include "pollen/round.h"
#include "problems.h"
#include "round/local_segments.h"
#include "run/experiment.h"

namespace pollen::laws {
namespace {

constexpr std::uint64_t kSeed = 11;
constexpr double kStep = 0.03, kTau = 0.4;
constexpr int kIterations = 1000;

class LastDraws : public Sink {
 public:
  void kept(ConstPanelView position, std::span<const double>) override {
    draws.emplace_back(position.column(0)[0], position.column(0)[1]);
  }
  std::vector<Eigen::Vector2d> draws;
};

Eigen::Vector2d normal(Purpose purpose, std::uint64_t iteration) {
  Stream stream = make_stream(kSeed, 0, purpose);
  stream.round = iteration;
  stream.client = 0;
  std::array<double, 2> z{};
  normals(stream, z);
  return {z[0], z[1]};
}

// Returns the client's own noise. A round of its stream has 4096 normals, for a whole number of iterations.
Eigen::Vector2d own_normal(std::uint64_t iteration) {
  constexpr std::uint64_t kRound = 2048;  // iterations of two coordinates each
  Stream stream = make_stream(kSeed, 0, Purpose::local_noise);
  stream.round = iteration / kRound;
  std::array<double, 2 * kRound> z{};
  normals(stream, z);
  return {z[2 * (iteration % kRound)], z[2 * (iteration % kRound) + 1]};
}

std::vector<std::uint32_t> rows(std::uint64_t iteration, std::size_t of) {
  Stream stream = make_stream(kSeed, 0, Purpose::minibatch);
  stream.round = iteration;
  stream.client = 0;
  Sequence sequence(stream);
  std::vector<std::uint32_t> result;
  sample_without_replacement(sequence, static_cast<std::uint32_t>(of), 2, result);
  return result;
}

std::vector<Eigen::Vector2d> loopless(const stats::QuadraticProblem& problem, bool at_once) {
  const auto& terms = problem.clients.front().terms;
  LocalSteps coins;
  coins.refresh = 0.3;
  SegmentSchedule schedule(coins, kSeed);
  Eigen::Vector2d x = Eigen::Vector2d::Zero(), y = x;
  std::vector<Eigen::Vector2d> path;
  for (std::uint64_t k = 0; k < kIterations; ++k) {
    const bool coin = schedule.refresh_due(k);
    if (coin) schedule.refreshed();
    if (coin && at_once) y = x;
    Eigen::Vector2d g = problem.prior_precision.asDiagonal() * x;
    for (const auto& term : terms) g += term.curvature * y - term.shift;
    for (const std::uint32_t j : rows(k, terms.size()))
      g += static_cast<double>(terms.size()) / 2 * terms[j].curvature * (x - y);
    if (coin) y = x;
    x += -kStep * g + std::sqrt(2 * kStep * kTau) * normal(Purpose::noise, k) +
         std::sqrt(2 * kStep * (1 - kTau)) * own_normal(k);
    path.push_back(x);
  }
  return path;
}

TEST(Loopless, IsVrFaldOfOneClient) {
  const Problem problem = alone();
  LastDraws sink;
  Experiment experiment(
      read_config_text(problem.text, "law.toml",
                       {fmt::format("seed={}", kSeed), fmt::format("run.iterations={}", kIterations), "run.burn_in=0",
                        "run.chains=2", "sampler.name=vr-fald*", fmt::format("sampler.step={}", kStep),
                        fmt::format("sampler.correlation={}", kTau), "sampler.communicate=1.0",
                        "sampler.refresh_probability=0.3", "run.init=zero", "sampler.batch=2", "output.lp=false"}),
      {.threads = 1});
  experiment.prepare();
  experiment.advance(kIterations, sink);
  const auto right = loopless(problem.exact, false), early = loopless(problem.exact, true);
  ASSERT_EQ(sink.draws.size(), right.size());
  double far = 0, wrong = 0;
  for (std::size_t k = 0; k < right.size(); ++k) {
    far = std::max(far, (sink.draws[k] - right[k]).norm());
    wrong = std::max(wrong, (sink.draws[k] - early[k]).norm());
  }
  EXPECT_LT(far, 1e-9);
  EXPECT_GT(wrong, 1e-2) << "the anchor used one step early";
}

}  // namespace
}  // namespace pollen::laws
