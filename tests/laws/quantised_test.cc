// qsgd and natural have no closed law, but if all clients are present their chains obey an identity (docs/algorithms.md
// section 10):
//   E[yyᵀ] = A E[yyᵀ] Aᵀ + 2γT I + γ² Σ_i E[D_i(θ)],   y = θ - mean,  A = I - γ(Σ H_i + P),
// where D_i is the conditional covariance of client i's message at θ: the compressor's, averaged over minibatches, plus
// the minibatch's own. Both sides are averaged over the run's draws; a wrong factor breaks the identity.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "check.h"
#include "run/experiment.h"
#include "support/norm.h"

namespace pollen::laws {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Spread = std::function<VectorXd(const VectorXd&)>;  // the diagonal of a compressor's covariance at v

VectorXd none(const VectorXd& v) { return VectorXd::Zero(v.size()); }

VectorXd natural(const VectorXd& v) {
  return v.unaryExpr([](double x) {
    const double low = std::exp2(std::floor(std::log2(std::abs(x))));
    return (2 * low - std::abs(x)) * (std::abs(x) - low);
  });
}

Spread qsgd(double levels) {
  return [levels](const VectorXd& v) -> VectorXd {
    const double unit = told_norm(v.norm()) / levels;
    return v.unaryExpr([unit](double x) {
      const double level = std::abs(x) / unit, fraction = level - std::floor(level);
      return unit * unit * fraction * (1 - fraction);
    });
  };
}

// A client's equally likely gradients, one per minibatch of one row (or of all rows).
struct Messages {
  std::vector<stats::QuadraticTerm> gradients;
  Spread spread;

  MatrixXd covariance(const VectorXd& theta) const {
    const auto n = static_cast<double>(gradients.size());
    VectorXd mean = VectorXd::Zero(theta.size());
    MatrixXd result = MatrixXd::Zero(theta.size(), theta.size());
    for (const auto& g : gradients) {
      const VectorXd v = g.curvature * theta - g.shift;
      mean += v / n;
      result += v * v.transpose() / n;
      result.diagonal() += spread(v) / n;
    }
    return result - mean * mean.transpose();
  }
};

// Returns the messages of all clients. rows = false means whole gradients; `anchor` is that of the fixed-point oracle.
std::vector<Messages> messages(const QuadraticProblem& problem, bool rows, const std::vector<Spread>& spreads,
                               const VectorXd& anchor = {}) {
  std::vector<Messages> result;
  for (std::size_t i = 0; i < problem.clients.size(); ++i) {
    const auto& terms = problem.clients[i].terms;
    const auto d = problem.prior_precision.size();
    stats::QuadraticTerm whole{MatrixXd::Zero(d, d), VectorXd::Zero(d)};
    result.push_back({{}, spreads[i % spreads.size()]});
    for (auto term : terms) {
      if (anchor.size() > 0) term.shift = term.curvature * anchor;
      const double factor = rows ? static_cast<double>(terms.size()) : 1.0;
      term = {factor * term.curvature, factor * term.shift};
      if (rows) result.back().gradients.push_back(term);
      whole = {whole.curvature + term.curvature, whole.shift + term.shift};
    }
    if (!rows) result.back().gradients.push_back(whole);
  }
  return result;
}

// Averages yyᵀ and Σ_i D_i per chain.
class IdentitySink : public Sink {
 public:
  IdentitySink(const std::vector<Messages>& clients, VectorXd mean)
      : clients_(clients), mean_(std::move(mean)), moments_(mean_) {}

  void kept(ConstPanelView position, std::span<const double>) override {
    const auto d = mean_.size();
    const auto chains = static_cast<std::size_t>(position.columns);
    if (second_.empty()) second_.assign(chains, MatrixXd::Zero(d, d)), spread_ = second_;
    moments_.add(position);
    for (std::size_t c = 0; c < chains; ++c) {
      const VectorXd theta = Eigen::Map<const VectorXd>(position.column(static_cast<Index>(c)).data(), d);
      second_[c] += (theta - mean_) * (theta - mean_).transpose();
      for (const Messages& client : clients_) spread_[c] += client.covariance(theta);
    }
    ++count_;
  }

  Estimate estimate() const { return moments_.estimate(); }
  // Returns E[yyᵀ] - A E[yyᵀ] Aᵀ - 2γT I - share · γ² Σ_i E[D_i], which is zero at share = 1.
  Average residual(const MatrixXd& a, double step, double temperature, double share) const {
    std::vector<MatrixXd> chains;
    for (std::size_t c = 0; c < second_.size(); ++c) {
      const MatrixXd second = second_[c] / count_;
      chains.emplace_back(second - a * second * a.transpose() - share * step * step / count_ * spread_[c]);
      chains.back().diagonal().array() -= 2 * step * temperature;
    }
    return average(chains);
  }

 private:
  const std::vector<Messages>& clients_;
  VectorXd mean_;
  Moments moments_;
  std::vector<MatrixXd> second_, spread_;
  double count_ = 0;
};

struct Setting {
  double step = 0, temperature = 1;
  int iterations = 8000;
};

void expect_identity(const Problem& problem, const QuadraticProblem& exact, const std::vector<Messages>& clients,
                     const Setting& setting, const Overrides& overrides) {
  Overrides all = {"seed=20260726",
                   fmt::format("sampler.step={}", setting.step),
                   fmt::format("model.temperature={}", setting.temperature),
                   "run.chains=128",
                   fmt::format("run.iterations={}", 300 + setting.iterations),
                   "run.burn_in=300",
                   "output.lp=false"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  Experiment experiment(read_config_text(problem.text, "law.toml", all), {.threads = 1});
  experiment.prepare();
  const Law target = problem.exact.target(setting.temperature);
  IdentitySink sink(clients, target.mean);
  experiment.advance(experiment.config().run.iterations, sink);

  MatrixXd a = MatrixXd::Identity(target.mean.size(), target.mean.size());
  a.diagonal() -= setting.step * exact.prior_precision;
  for (const auto& client : exact.clients)
    for (const auto& term : client.terms) a -= setting.step * term.curvature;
  const Estimate run = sink.estimate();
  const double mean = worst(run.mean - target.mean, run.mean_error);
  EXPECT_LT(mean, kAgree);
  EXPECT_GT((run.covariance - target.covariance).cwiseQuotient(run.covariance_error).diagonal().minCoeff(), kTellApart);
  const Average right = sink.residual(a, setting.step, setting.temperature, 1);
  EXPECT_LT(worst(right.mean, right.error), kAgree) << right.mean;
  // The test has power only if the compressor's share of the variance is visible; temperatures below 1 help.
  const Average half = sink.residual(a, setting.step, setting.temperature, 0.5);
  const double power = half.mean.cwiseQuotient(half.error).diagonal().minCoeff();
  EXPECT_GT(power, kTellApart) << "half the compressor's variance would pass";
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", std::max(mean, worst(right.mean, right.error))));
  ::testing::Test::RecordProperty("half_the_noise", fmt::format("{:.1f}", power));
}

void expect_whole_gradients(const std::vector<Spread>& spreads, const Overrides& overrides, const Setting& setting) {
  const Problem problem = matrices();
  expect_identity(problem, problem.exact, messages(problem.exact, false, spreads), setting, overrides);
}

TEST(Quantised, OneLevel) {
  expect_whole_gradients({qsgd(1)}, {"sampler.name=qlsd", "sampler.levels=1"}, {.step = 0.05});
}

TEST(Quantised, TwoLevels) {
  expect_whole_gradients({qsgd(2)}, {"sampler.name=qlsd", "sampler.levels=2"}, {.step = 0.08, .temperature = 0.4});
}

TEST(Quantised, FourLevels) {
  expect_whole_gradients({qsgd(4)}, {"sampler.name=qlsd", "sampler.levels=4"}, {.step = 0.1, .temperature = 0.15});
}

TEST(Quantised, Natural) {
  expect_whole_gradients({natural}, {"sampler.name=qlsd", "sampler.compressor=natural"},
                         {.step = 0.1, .temperature = 0.15});
}

TEST(Quantised, ACompressorForEachClient) {
  Problem problem = matrices();
  std::size_t at = 0;
  for (const char* own : {"compressor = \"natural\"\n", "levels = 1\n", "compressor = \"identity\"\n"}) {
    at = problem.text.find("mean =", at);
    problem.text.insert(at, own);
    at += 40;
  }
  expect_identity(problem, problem.exact, messages(problem.exact, false, {natural, qsgd(1), none}),
                  {.step = 0.06, .temperature = 0.5}, {"sampler.name=qlsd"});
}

TEST(Quantised, PriorOnClients) {
  const Problem problem = matrices();
  const QuadraticProblem moved = prior_on_clients(problem.exact);
  expect_identity(problem, moved, messages(moved, false, {qsgd(1)}), {.step = 0.05},
                  {"sampler.name=qlsd", "sampler.levels=1", "sampler.prior_at=clients"});
}

TEST(Quantised, MinibatchesOfOneRow) {
  const Problem problem = points();
  expect_identity(problem, problem.exact, messages(problem.exact, true, {qsgd(1)}), {.step = 0.03},
                  {"sampler.name=qlsd#", "sampler.batch=1", "sampler.levels=1"});
}

TEST(Quantised, DifferencesToTheMode) {
  const Problem problem = regression();
  const VectorXd mode = problem.exact.target().mean;
  expect_identity(problem, problem.exact, messages(problem.exact, true, {qsgd(1)}, mode), {.step = 0.04},
                  {"sampler.name=qlsd*", "sampler.batch=1", "sampler.levels=1", "sampler.mode_tolerance=1e-9"});
}

}  // namespace
}  // namespace pollen::laws
