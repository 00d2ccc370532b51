#include "averaging.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "run/experiment.h"

namespace pollen::laws {
namespace {

constexpr int kBurnIn = 600;  // a multiple of every K that the tests use

class DrawSink : public Sink {
 public:
  DrawSink(std::vector<Moments>& phases, Eigen::Index unit, bool by_run)
      : phases_(phases), unit_(unit), by_run_(by_run) {}
  void kept(ConstPanelView position, std::span<const double>) override {
    Moments& moments = phases_[count_++ % phases_.size()];
    for (Index c = 0; c < position.columns; ++c) {
      const auto column = position.column(c);
      moments.add(by_run_ ? unit_ : c,
                  Eigen::Map<const Eigen::VectorXd>(column.data(), static_cast<Eigen::Index>(column.size())));
    }
  }

 private:
  std::vector<Moments>& phases_;
  Eigen::Index unit_;
  bool by_run_;
  std::size_t count_ = 0;
};

void add_presence(const AveragingLawOptions& o, Overrides& keys) {
  const std::string size = fmt::format("participation.size={}", o.size);
  switch (o.participation) {
    case Attend::fixed_size:
      keys.insert(keys.end(), {size, o.by_size ? "sampler.scheme=II" : "participation.policy=fixed-size"});
      break;
    case Attend::fixed_size_replacement:
      keys.insert(keys.end(), {size, "sampler.scheme=I"});
      break;
    case Attend::bernoulli_active:
      keys.insert(keys.end(), {"participation.policy=bernoulli",
                               fmt::format("participation.probability={}", o.probability.front())});
      break;
    default:
      break;
  }
}

}  // namespace

Overrides keys_of(const AveragingLawOptions& o) {
  Overrides keys = {fmt::format("sampler.name={}", o.by_size       ? "fa-ld"
                                                   : o.refresh > 0 ? "vr-fald*"
                                                                   : "fald"),
                    fmt::format("sampler.step={}", o.step), fmt::format("model.temperature={}", o.temperature),
                    fmt::format("sampler.correlation={}", o.correlation)};
  keys.push_back(o.communicate > 0 ? fmt::format("sampler.communicate={}", o.communicate)
                                   : fmt::format("sampler.local_steps={}", o.steps));
  if (o.refresh > 0) keys.push_back(fmt::format("sampler.refresh_probability={}", o.refresh));
  if (o.batch > 0) keys.push_back(fmt::format("sampler.batch={}", o.batch));
  if (o.up == Coding::rand_k) {
    keys.insert(keys.end(), {"sampler.compressor=rand-k", fmt::format("sampler.k={}", o.k)});
    keys.push_back(o.memory > 0 ? fmt::format("sampler.memory_rate={}", o.memory) : "sampler.memory=false");
  }
  add_presence(o, keys);
  return keys;
}

std::vector<Estimate> sample_averages(const Problem& problem, const AveragingLawOptions& options, const Overrides& more,
                                      Effort effort, int phases) {
  std::vector<Moments> moments(static_cast<std::size_t>(phases), Moments(problem.exact.target().mean));
  for (int seed = 0; seed < effort.seeds; ++seed) {
    Overrides all = {fmt::format("seed={}", 20260726 + seed), fmt::format("run.chains={}", effort.chains),
                     fmt::format("run.iterations={}", kBurnIn + effort.iterations),
                     fmt::format("run.burn_in={}", kBurnIn), "output.lp=false"};
    const Overrides keys = keys_of(options);
    all.insert(all.end(), keys.begin(), keys.end());
    all.insert(all.end(), more.begin(), more.end());
    Experiment experiment(read_config_text(problem.text, "law.toml", all), {.threads = 1});
    experiment.prepare();
    DrawSink sink(moments, seed, effort.seeds > 1);
    experiment.advance(experiment.config().run.iterations, sink);
  }
  std::vector<Estimate> result;
  for (const Moments& m : moments) result.push_back(m.estimate());
  return result;
}

double between(const Estimate& run, const Law& a, const Law& b) {
  return std::max(worst(a.mean - b.mean, run.mean_error), worst(a.covariance - b.covariance, run.covariance_error));
}

AveragingCheck::AveragingCheck(const Problem& problem, const AveragingLawOptions& options, const Overrides& more)
    : AveragingCheck(problem, options, more, options.communicate > 0 || options.refresh > 0 ? kCoins : kFixedGaps) {}

AveragingCheck::AveragingCheck(const Problem& problem, const AveragingLawOptions& options, const Overrides& more,
                               Effort effort)
    : exact_(problem.exact),
      law_(averaging_family_law(problem.exact, options).front()),
      run_(sample_averages(problem, options, more, effort).front()) {
  AveragingLawOptions twice = options;
  // Near the limit of stability fourth moments, and with them standard errors, need not exist.
  twice.step *= 2;
  EXPECT_NO_THROW(averaging_family_law(exact_, twice)) << "the step is more than half the largest stable one";
  const double far = distance(run_, law_), bias = between(run_, law_, exact_.target(options.temperature));
  EXPECT_LT(far, kAgree) << "mean " << run_.mean.transpose() << ", not " << law_.mean.transpose() << "\ncovariance\n"
                         << run_.covariance << "\nnot\n"
                         << law_.covariance;
  EXPECT_GT(bias, kTellApart) << "the step is too small for its bias to show";
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", far));
  ::testing::Test::RecordProperty("bias", fmt::format("{:.1f}", bias));
}

void AveragingCheck::rejects(const char* what, const AveragingLawOptions& wrong) const { rejects(what, exact_, wrong); }

void AveragingCheck::rejects(const char* what, const QuadraticProblem& wrong_problem,
                             const AveragingLawOptions& wrong) const {
  const double far = distance(run_, averaging_family_law(wrong_problem, wrong).front());
  EXPECT_GT(far, kTellApart) << "not told apart: " << what;
  std::string key = what;
  std::ranges::replace(key, ' ', '_');
  ::testing::Test::RecordProperty("not_" + key, fmt::format("{:.1f}", far));
}

}  // namespace pollen::laws
