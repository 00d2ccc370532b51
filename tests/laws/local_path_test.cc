// Local steps beyond the stationary law at communication rounds: the average between rounds, and the decaying step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "averaging.h"
#include "run/experiment.h"

namespace pollen::laws {
namespace {

// With emit = "every", Σ w_i x_i is emitted after each local step; the check goes phase by phase.
void expect_every_average(const AveragingLawOptions& options) {
  const Problem problem = lopsided();
  const std::vector<Law> laws = averaging_family_law(problem.exact, options);
  const std::size_t steps = laws.size();
  const std::vector<Estimate> run =
      sample_averages(problem, options, {"sampler.emit=every"}, kFixedGaps, static_cast<int>(steps));
  double furthest = 0, apart = 0;
  for (std::size_t p = 0; p < steps; ++p) {
    furthest = std::max(furthest, distance(run[p], laws[(p + 1) % steps]));
    apart = std::max(apart, distance(run[p], laws[p]));
  }
  EXPECT_LT(furthest, kAgree);
  EXPECT_GT(apart, kTellApart) << "phases do not differ";
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", furthest));
}

TEST(EveryAverage, Fald) {
  AveragingLawOptions options;
  options.step = 0.1;
  options.correlation = 0.4;
  options.steps = 4;
  expect_every_average(options);
}

TEST(EveryAverage, FaLdWeighsBySize) {
  AveragingLawOptions options;
  options.by_size = true;
  options.step = 0.045;
  options.correlation = 0.4;
  options.steps = 3;
  expect_every_average(options);
}

// An exchange does not move the average, and the coin is independent of it, so every iteration has the same law.
TEST(EveryAverage, RandomGaps) {
  AveragingLawOptions options;
  options.step = 0.1;
  options.correlation = 0.4;
  options.communicate = 0.25;
  const Problem problem = lopsided();
  const std::vector<Law> laws = averaging_family_law(problem.exact, options);
  const Estimate run = sample_averages(problem, options, {"sampler.emit=every"}, kCoins).front();
  EXPECT_LT(distance(run, laws[1]), kAgree);
  EXPECT_LT((laws[0].covariance - laws[1].covariance).norm(), 1e-12);
  EXPECT_GT(between(run, laws[1], problem.exact.target()), kTellApart);
}

// Collects moments, over chains, of the draws of some rounds.
class RoundSink : public Sink {
 public:
  RoundSink(const std::vector<int>& rounds, const Eigen::VectorXd& centre)
      : rounds_(rounds), moments_(rounds.size(), Moments(centre)) {}
  void kept(ConstPanelView position, std::span<const double>) override {
    const auto at = std::ranges::find(rounds_, ++count_);
    if (at != rounds_.end()) moments_[static_cast<std::size_t>(at - rounds_.begin())].add(position);
  }
  Estimate estimate(std::size_t i) const { return moments_[i].estimate(); }

 private:
  const std::vector<int>& rounds_;
  std::vector<Moments> moments_;
  int count_ = 0;
};

// The step is η_k = 1/(2L + m k/12), where k counts local steps from 0.
TEST(DecayingStep, FollowsItsLawRoundByRound) {
  const Problem problem = lopsided();
  AveragingLawOptions options;
  options.by_size = true;
  options.correlation = 0.5;
  options.steps = 3;
  options.step = 0.05;
  const double l = 12, m = 150;
  const std::vector<int> rounds = {1, 2, 4, 10, 25};
  const auto path = [&](auto step_at) {
    return averaging_family_path(problem.exact, options, Eigen::VectorXd::Zero(2), rounds.back(), step_at);
  };
  const auto right = path([&](int k) { return 1 / (2 * l + m * k / 12); });
  const auto from_one = path([&](int k) { return 1 / (2 * l + m * (k + 1) / 12); });
  const auto by_round = path([&](int k) { return 1 / (2 * l + m * (k / 3) / 12); });
  Overrides keys = keys_of(options);
  keys.insert(keys.end(),
              {"seed=4", "run.chains=4096", "run.iterations=75", "run.burn_in=0", "run.init=zero", "output.lp=false",
               "sampler.schedule=decaying", "sampler.smoothness=12", "sampler.convexity=150"});
  keys.erase(std::ranges::find(keys, "sampler.step=0.05"));
  Experiment experiment(read_config_text(problem.text, "law.toml", keys), {.threads = 1});
  experiment.prepare();
  RoundSink sink(rounds, problem.exact.target().mean);
  experiment.advance(75, sink);
  double furthest = 0, late = 0, coarse = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const auto at = static_cast<std::size_t>(rounds[i] - 1);
    furthest = std::max(furthest, distance(sink.estimate(i), right[at]));
    late = std::max(late, distance(sink.estimate(i), from_one[at]));
    coarse = std::max(coarse, distance(sink.estimate(i), by_round[at]));
  }
  EXPECT_LT(furthest, kAgree);
  EXPECT_GT(late, kTellApart) << "k from 1";
  EXPECT_GT(coarse, kTellApart) << "one step size per round";
  RecordProperty("worst_z", fmt::format("{:.2f}", furthest));
}

}  // namespace
}  // namespace pollen::laws
