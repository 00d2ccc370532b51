// Runs that sample in other coordinates than the model's own (sampler.precondition).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "pollen/errors.h"
#include "pollen/stats.h"
#include "support/problems.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using testing::kGaussian;
using testing::kLogistic;
using testing::sample;

struct Moments {
  double mean[2] = {0, 0}, covariance[2][2] = {{0, 0}, {0, 0}};
  double count = 0;
};

Moments moments(const std::vector<std::vector<double>>& draws) {
  Moments m;
  for (const auto& chain : draws)
    for (std::size_t t = 0; t < chain.size(); t += 2, ++m.count)
      for (std::size_t i = 0; i < 2; ++i) m.mean[i] += chain[t + i];
  for (double& mean : m.mean) mean /= m.count;
  for (const auto& chain : draws)
    for (std::size_t t = 0; t < chain.size(); t += 2)
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)
          m.covariance[i][j] += (chain[t + i] - m.mean[i]) * (chain[t + j] - m.mean[j]) / m.count;
  return m;
}

// On a Gaussian target H = AᵀHA = I in the new coordinates, so that the chain ψ ← (1-γ)ψ + √(2γ) Z has variance
// 2/(2-γ) in every direction. The law of θ is therefore N(mode, 2/(2-γ) H⁻¹), whatever H is.
TEST(Precondition, HasTheExactLawOfItsOwnCoordinates) {
  const double gamma = 0.5;
  const auto outcome = sample(kGaussian, {"sampler.precondition=full", "sampler.step=0.5", "model.prior=flat",
                                          "run.iterations=60000", "run.burn_in=100"});
  const double a = 3.5, b = 0.4, c = 6.7, det = a * c - b * b, heat = 2 / (2 - gamma);
  const double mean[2] = {(c * -0.05 - b * 18.35) / det, (a * 18.35 - b * -0.05) / det};
  const double covariance[2][2] = {{heat * c / det, -heat * b / det}, {-heat * b / det, heat * a / det}};
  const Moments m = moments(outcome.draws);
  // The autocorrelation time is (2-γ)/γ = 3, so the effective number of draws is a third of all; five standard errors.
  const double error = 5 * std::sqrt(2 * 3 / m.count);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(m.mean[i], mean[i], error * std::sqrt(covariance[i][i]));
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(m.covariance[i][j], covariance[i][j], error * std::sqrt(covariance[i][i] * covariance[j][j]));
  }
}

// A regression of dollars on two columns that are nearly the same, which is hopeless for one step size in θ.
TEST(Precondition, MixesWhereColumnsAreNearlyTheSame) {
  std::string text = R"(
seed = 2
[model]
kind = "gaussian"
prior = "flat"
[[client]]
mean = [40000.0, -3.0]
precision = [[1.0, 0.9995], [0.9995, 1.0]]
[[client]]
mean = [52000.0, 8000.0]
precision = [[3.0, 2.9985], [2.9985, 3.0]]
[sampler]
name = "lsd"
[run]
iterations = 4000
burn_in = 400
chains = 4
init = "mode"
)";
  const auto least_ess = [&](const Overrides& overrides) {
    const auto draws = sample(text, overrides).draws;
    double least = 1e9;
    for (std::size_t j = 0; j < 2; ++j) {
      std::vector<double> coordinate;
      const std::size_t n = draws[0].size() / 2;
      for (const auto& chain : draws)
        for (std::size_t t = 0; t < n; ++t) coordinate.push_back(chain[2 * t + j]);
      least = std::min(least, stats::ess_bulk({coordinate, 4}));
    }
    return least;
  };
  EXPECT_LT(least_ess({}), 50);
  EXPECT_GT(least_ess({"sampler.precondition=full"}), 400);
}

TEST(Precondition, StartsWhereItIsTold) {
  for (const char* kind : {"diagonal", "full"}) {
    Experiment e(
        read_config_text(kGaussian, "test.toml", {std::string("sampler.precondition=") + kind, "run.init=[2.5,-1.0]"}));
    e.prepare();
    EXPECT_NEAR(e.position().column(1)[0], 2.5, 1e-12);
    EXPECT_NEAR(e.position().column(1)[1], -1.0, 1e-12);
    EXPECT_GT(e.counters().setup_bits, 0);
  }
}

// lp__ is the potential of θ, so it must not depend on the coordinates.
TEST(Precondition, ThePotentialIsThatOfTheDraw) {
  for (const char* kind : {"none", "diagonal", "full"}) {
    Experiment e(read_config_text(kLogistic, "test.toml",
                                  {std::string("sampler.precondition=") + kind, "run.iterations=1", "run.init=zero",
                                   "output.scale=standardized"}));
    e.prepare();
    testing::Collect collect;
    e.advance(1, collect);
    Experiment plain(read_config_text(kLogistic, "test.toml", {"run.iterations=1"}));
    plain.prepare();
    const Index d = plain.dimension();
    double u = 0;
    plain.questions().transport().query({Query::What::value, {collect.draws[0].data(), d, 1, d}, {}}, {&u, 1, 1, 1});
    u += plain.questions().prior().value(collect.draws[0]);
    EXPECT_NEAR(collect.potentials[0], u, 1e-9 * std::abs(u)) << kind;
  }
}

// A potential whose gradient and value leave the finite numbers far from the mode, as exp(η) does, and a transport that
// refuses to ask for gradients there, as a federation does.
TEST(Precondition, TheSearchForTheModeAsksForNoGradientThatIsInfinite) {
  std::string text = "g,x,y\n";
  constexpr int kRows = 2000;  // one of them has all counts, so that Newton's first step is as many times too long
  for (int r = 0; r < kRows; ++r) text += fmt::format("{},{},{}\n", r % 2, r == 0 ? 1000 : 0, r == 0 ? 100000 : r % 2);
  const std::string file = ::testing::TempDir() + "/overshoot.csv";
  std::ofstream(file) << text;
  class Checked final : public Transport {
   public:
    explicit Checked(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}
    void exchange(Server& server) override { inner_->exchange(server); }
    void query(const Query& query, PanelView sum) override {
      inner_->query(query, sum);
      for (Index c = 0; query.what == Query::What::gradient && c < sum.columns; ++c)
        for (const double x : sum.column(c))
          if (!std::isfinite(x)) throw WireError("found an infinite gradient");
    }

   private:
    std::unique_ptr<Transport> inner_;
  };
  ExperimentOptions options;
  options.transport = [](ClientView& view, Clients& clients) {
    return std::make_unique<Checked>(make_thread_transport(view, clients, 1));
  };
  Experiment e(read_config_text("[model]\nkind = \"poisson\"\n[data]\nsource = \"" + file +
                                    "\"\npartition = \"by-column\"\ncolumn = \"g\"\ntest_fraction = 0.0\n"
                                    "[sampler]\nname = \"lsd\"\n",
                                "test.toml"),
               options);
  EXPECT_NO_THROW(e.prepare());
}

// Neal's funnel has no mode, but can be sampled with a given step from zero.
TEST(Precondition, AProgramsPosteriorWithoutAModeIsSampledFromZero) {
  class Funnel final : public Potential {
   public:
    Index dimension() const override { return 2; }
    Index rows() const override { return 1; }
    void value(const ConstPanelView& at, std::span<double> out, Scratch&) const override {
      for (Index c = 0; c < at.columns; ++c) {
        const double v = at.column(c)[0], x = at.column(c)[1];
        out[static_cast<std::size_t>(c)] = v * v / 18 + x * x * std::exp(-v) / 2 + v / 2 - std::exp(-v - 4);
      }
    }
    void gradient(const ConstPanelView& at, const PanelView& out, Scratch&) const override {
      for (Index c = 0; c < at.columns; ++c) {
        const double v = at.column(c)[0], x = at.column(c)[1];
        out.column(c)[0] = v / 9 - x * x * std::exp(-v) / 2 + 0.5 + std::exp(-v - 4);
        out.column(c)[1] = x * std::exp(-v);
      }
    }
    void gradient_rows(std::span<const double> at, std::span<const std::uint32_t>, std::span<double> out,
                       Scratch& scratch) const override {
      gradient({at.data(), 2, 1, 2}, {out.data(), 2, 1, 2}, scratch);
    }
  };
  ExperimentOptions options;
  options.posterior = Posterior{{std::make_shared<Funnel>()}, {}, {}};
  Experiment e(read_config_text("[sampler]\nname = \"lsd\"\nstep = 1e-3", "test.toml"), options);
  e.prepare();
  for (Index c = 0; c < 4; ++c) EXPECT_EQ(e.position().column(c)[0], 0);
}

TEST(Precondition, NamesTheColumnThatMakesAFlatPriorImproper) {
  const char* text = R"(
[model]
kind = "gaussian"
prior = "flat"
[[client]]
mean = [1.0, 2.0]
precision = [[1.0, 1.0], [1.0, 1.0]]
[sampler]
name = "lsd"
precondition = "full"
)";
  try {
    sample(text);
    FAIL() << "an improper posterior was sampled";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("improper"));
    EXPECT_THAT(error.what(), HasSubstr("theta.2"));
  }
}

}  // namespace
}  // namespace pollen
