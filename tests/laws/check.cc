#include "check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "run/experiment.h"

namespace pollen::laws {
namespace {

constexpr int kBurnIn = 300;

class PhaseSink : public Sink {
 public:
  PhaseSink(const Eigen::VectorXd& centre, int phases)
      : phases_(static_cast<std::size_t>(phases), Moments(centre)), kept_(centre) {}
  void closed(std::int64_t iteration, const Counters&, ConstPanelView position) override {
    const auto round = static_cast<std::size_t>(iteration - 1);
    if (iteration > kBurnIn) phases_[round % phases_.size()].add(position);
  }
  void kept(ConstPanelView position, std::span<const double>) override { kept_.add(position); }
  Sampled result() const {
    Sampled result{{}, kept_.estimate(), kept_.squares()};
    for (const Moments& moments : phases_) result.phases.push_back(moments.estimate());
    return result;
  }

 private:
  std::vector<Moments> phases_;
  Moments kept_;
};

// Expects the law to exist at twice the step. Nearer the limit of mean-square stability fourth moments, and with them
// standard errors, need not exist.
void expect_half_way_to_the_limit(const QuadraticProblem& problem, GradientLawOptions options) {
  options.step *= 2;
  EXPECT_NO_THROW(gradient_family_law(problem, options)) << "the step is more than half the largest stable one";
}

}  // namespace

Sampled sample_moments(const Problem& problem, double step, double temperature, const Overrides& overrides,
                       int iterations, int phases) {
  Overrides all = {"seed=20260726",
                   fmt::format("sampler.step={}", step),
                   fmt::format("model.temperature={}", temperature),
                   "run.chains=128",
                   fmt::format("run.iterations={}", kBurnIn + iterations),
                   fmt::format("run.burn_in={}", kBurnIn),
                   fmt::format("run.thin={}", phases),
                   "output.lp=false"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  Experiment experiment(read_config_text(problem.text, "law.toml", all), {.threads = 1});
  experiment.prepare();
  PhaseSink sink(problem.exact.target().mean, phases);
  experiment.advance(experiment.config().run.iterations, sink);
  return sink.result();
}

Check::Check(const Problem& problem, const QuadraticProblem& exact, const GradientLawOptions& options,
             const Overrides& overrides, int iterations)
    : Check(problem, gradient_family_law(exact, options), options, overrides, iterations) {
  expect_half_way_to_the_limit(exact, options);
}

Check::Check(const Problem& problem, const std::vector<Law>& laws, const GradientLawOptions& options,
             const Overrides& overrides, int iterations)
    : run_(sample_moments(problem, options.step, options.temperature, overrides, iterations,
                          static_cast<int>(laws.size()))) {
  agrees(laws, problem.exact.target(options.temperature));
}

void Check::agrees(const std::vector<Law>& laws, const Law& target) const {
  double furthest = 0, bias = std::numeric_limits<double>::infinity();
  for (std::size_t phase = 0; phase < laws.size(); ++phase) {
    const Estimate& run = run_.phases[phase];
    furthest = std::max(furthest, distance(run, laws[phase]));
    bias = std::min(bias, spread_between(run, laws[phase], target));
    EXPECT_LT(distance(run, laws[phase]), kAgree) << "phase " << phase << "\nmean " << run.mean.transpose() << ", not "
                                                  << laws[phase].mean.transpose() << "\ncovariance\n"
                                                  << run.covariance << "\nnot\n"
                                                  << laws[phase].covariance;
    EXPECT_GT(spread_between(run, laws[phase], target), kTellApart) << "the step is too small for its bias to show";
  }
  // Draws are kept at iterations burn_in + l, burn_in + 2l, ..., which are in one phase.
  EXPECT_LT(distance(run_.kept, laws[(kBurnIn - 1) % laws.size()]), kAgree);
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", furthest));
  ::testing::Test::RecordProperty("bias", fmt::format("{:.1f}", bias));
}

void Check::rejects(const char* what, const QuadraticProblem& wrong, const GradientLawOptions& options) const {
  rejects(what, gradient_family_law(wrong, options));
}

void Check::rejects(const char* what, const std::vector<Law>& wrong) const {
  double furthest = 0;
  for (std::size_t phase = 0; phase < run_.phases.size(); ++phase)
    furthest = std::max(furthest, distance(run_.phases[phase], wrong[phase % wrong.size()]));
  EXPECT_GT(furthest, kTellApart) << "not told apart: " << what;
  std::string key = what;
  std::ranges::replace(key, ' ', '_');
  ::testing::Test::RecordProperty("not_" + key, fmt::format("{:.1f}", furthest));
}

}  // namespace pollen::laws
