// Tests mixed-effects models in an experiment: resuming, columns, and what clients keep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "pollen/errors.h"
#include "stats/mixed_law.h"
#include "support/problems.h"
#include "support/same_run.h"
#include "transport/thread_team.h"

namespace pollen {
namespace {

using testing::Collect;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::expect_same;
using ::testing::HasSubstr;

// Twelve groups of five rows on the plane y = 1 + x + group, plus waves that resemble noise.
std::string reactions() {
  std::string text = "group,x,w,y,label\n";
  for (int g = 0; g < 12; ++g)
    for (int r = 0; r < 5; ++r) {
      const double x = 0.5 * r - 1, w = (g * 7 + r * 3) % 5 - 2.0;
      const double y = 1 + x + 0.3 * ((g * 5) % 7 - 3) + 0.2 * w + 0.1 * ((g + 3 * r) % 4 - 1.5);
      text += fmt::format("g{},{},{},{},{}\n", g, x, w, y, y > 1 ? 1 : 0);
    }
  return text;
}

class Personal : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fmt::format("{}personal-{}.csv", ::testing::TempDir(), ::getpid());
    std::ofstream(path_) << reactions();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  Config config(Overrides set) const {
    set.insert(set.begin(), fmt::format("data.source={}", path_));
    return read_config_text(R"(
[model]
kind = "mixed-gaussian"
[data]
target = "y"
features = ["x", "w"]
partition = "by-column"
column = "group"
[run]
iterations = 60
burn_in = 10
chains = 2
)",
                            "test.toml", set);
  }
  std::string refusal(const Overrides& set) const {
    try {
      Experiment experiment(config(set));
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "accepted";
  }
  std::string path_;
};

TEST_F(Personal, ColumnsAreFixedUnlessRandom) {
  EXPECT_THAT(Experiment(config({})).labels(),
              ElementsAre("x", "w", "log_sigma", "mu[intercept]", "log_sd[intercept]"));
  EXPECT_THAT(
      Experiment(config({R"(model.random=["intercept", "x"])", "population.spread=scalar", "model.noise_sd=1.0"}))
          .labels(),
      ElementsAre("w", "mu[intercept]", "mu[x]", "log_sd"));
  EXPECT_THAT(Experiment(config({R"(model.random=["x"])", R"(model.fixed=["w"])"})).labels(),
              ElementsAre("w", "log_sigma", "mu[x]", "log_sd[x]"));
}

TEST_F(Personal, TheEffectiveConfigurationNamesTheColumns) {
  for (const char* fixed : {R"(model.fixed=[])", R"(model.fixed=["w"])"}) {
    const Experiment first(config({R"(model.random=["x"])", fixed}));
    const Experiment again(read_config_text(to_toml(first.config()), "again.toml"));
    EXPECT_EQ(first.labels(), again.labels());
    EXPECT_EQ(to_toml(first.config()), to_toml(again.config()));
  }
}

TEST_F(Personal, WrongColumnsAreNamed) {
  EXPECT_THAT(refusal({R"(model.random=["X"])"}), HasSubstr("accepted: intercept, x, w"));
  EXPECT_THAT(refusal({R"(model.random=["x"])", R"(model.fixed=["x"])"}), HasSubstr("in model.random too"));
  EXPECT_THAT(refusal({"population.sd_start=[1.0, 2.0]"}), HasSubstr("one per latent (1)"));
  EXPECT_THAT(refusal({"sampler.name=fedsoul", "sampler.kernel=hmc"}), HasSubstr("fedsouk"));
  EXPECT_THAT(refusal({"sampler.name=ditto"}), HasSubstr("sampler.step"));
  EXPECT_THAT(refusal({"sampler.compressor=top-k", "sampler.k=1"}), HasSubstr("biased"));
  EXPECT_THAT(refusal({"run.init=mode"}), HasSubstr("run.init"));
  EXPECT_THAT(refusal({"sampler.name=nuts"}), HasSubstr("\"hmc\""));
  EXPECT_THAT(refusal({"sampler.name=hmc", "model.prior=flat"}), HasSubstr("the posterior of log sd is improper"));
  EXPECT_EQ(refusal({"sampler.name=hmc", "model.prior=flat", "population.log_sd_prior_sd=1.0"}), "accepted");
  EXPECT_THAT(refusal({"sampler.name=hmc", "population.prior=energy"}), HasSubstr("accepted for hmc: \"normal\""));
  EXPECT_THAT(refusal({"sampler.name=hmc", "population.least_sd=0.1"}), HasSubstr("population"));
  EXPECT_THAT(refusal({"sampler.name=hmc", "federation.on_missing=skip"}), HasSubstr("\"wait\" or \"abort\""));
  EXPECT_THAT(refusal({"model.temperature=2.0"}), HasSubstr("model.temperature"));
}

const std::vector<Overrides> kWays = {
    {"sampler.name=fedsoul"},
    {"sampler.name=fedsouk", "sampler.kernel=hmc", "sampler.compressor=qsgd", "sampler.memory=true",
     "participation.policy=fixed-size", "participation.size=5"},
    {"model.kind=mixed-linear", "data.intercept=false", "sampler.step_decay=0.6"},
    {"population.prior=energy", "population.units=3", "population.particles=2", "sampler.warm_start=false"},
    {"sampler.name=hmc"},
    {"sampler.name=hmc", "model.kind=mixed-linear", "data.intercept=false", "population.centred=never"},
    {"sampler.name=fedrep", "sampler.step=0.01"},
    {"sampler.name=l2gd", "sampler.step=0.01"},
    {"sampler.name=scaffold", "sampler.step=0.01", "participation.policy=fixed-size", "participation.size=5"},
    {"sampler.name=apfl", "sampler.step=0.01", "sampler.adapt_mixture=true"},
    {"sampler.name=local", "sampler.step=0.01"}};

TEST_F(Personal, GoesOnFromItsSavedState) {
  for (const Overrides& way : kWays) {
    Experiment whole(config(way)), first(config(way)), second(config(way));
    Collect all, some, rest;
    whole.prepare();
    EXPECT_TRUE(whole.advance(60, all));
    first.prepare();
    first.advance(23, some);
    second.load(first.save());
    second.advance(37, rest);
    expect_same(whole, second, way[0]);
  }
}

TEST_F(Personal, ThreadsDoNotMatter) {
  for (const Overrides& way : kWays) {
    Experiment one(config(way), {.threads = 1});
    Collect draws;
    one.prepare();
    one.advance(60, draws);
    for (const int threads : {2, 5}) {
      Experiment first(config(way), {.threads = threads}), second(config(way), {.threads = 7 - threads});
      Collect some, rest;
      first.prepare();
      first.advance(23, some);
      second.load(first.save());
      second.advance(37, rest);
      expect_same(one, second, fmt::format("{}, {} threads", way[0], threads));
    }
  }
}

// There are more clients than are asked at a time.
TEST_F(Personal, ThreadsDoNotMatterToManyClients) {
  const auto draws = [](int threads) {
    return testing::sample(R"(
[model]
kind = "mixed-linear"
latent = 2
[data]
source = "synthetic-mixed"
clients = 600
dimension = 3
[participation]
policy = "fixed-size"
size = 400
[run]
iterations = 4
burn_in = 0
chains = 2
)",
                           {}, threads)
        .draws;
  };
  const auto one = draws(1);
  EXPECT_EQ(one, draws(2));
  EXPECT_EQ(one, draws(5));
}

TEST_F(Personal, LatentsMayBeDrawnTogether) {
  Experiment experiment(config({}), {.threads = 2});
  experiment.prepare();
  Collect collect;
  experiment.advance(20, collect);
  std::vector<OwnDraws> together(12);
  ThreadTeam(4).run(12, [&](Index i, int) {
    together[static_cast<std::size_t>(i)] = experiment.personal()->own_draws(i, {.draws = 10});
  });
  for (Index i = 0; i < 12; ++i) {
    const OwnDraws& own = together[static_cast<std::size_t>(i)];
    EXPECT_TRUE(std::ranges::equal(own.z.flat(), experiment.personal()->own_draws(i, {.draws = 10}).z.flat())) << i;
  }
}

TEST_F(Personal, ALatentThatExplodesIsNamedOnAnyThread) {
  Experiment experiment(config({"sampler.step=1e3", "model.noise_sd=0.1", "population.spread=fixed"}), {.threads = 3});
  experiment.prepare();
  Collect collect;
  EXPECT_THROW(experiment.advance(60, collect), NumericError);
}

// A client's latent is shrunk towards the population's mean with the weight n σ²/(n σ² + s²) on its own data.
TEST_F(Personal, LatentsAreShrunkAsTheFormulaSays) {
  Experiment experiment(config({R"(model.fixed=[])", "data.standardize=false", "data.test_fraction=0.0",
                                "population.mean=fixed", "population.mean_start=1.0", "population.spread=fixed",
                                "population.sd_start=0.6", "model.noise_sd=0.9", "run.iterations=20"}));
  experiment.prepare();
  Collect collect;
  experiment.advance(20, collect);
  const Federation& data = experiment.data();
  for (const Index i : {0, 5, 11}) {
    const Index first = data.train_begin[static_cast<std::size_t>(i)], n = data.train_rows(i);
    double mean = 0;
    for (Index r = 0; r < n; ++r) mean += data.train.y[static_cast<std::size_t>(first + r)] / static_cast<double>(n);
    const double weight = stats::shrinkage(n, 0.6, 0.9), sd = 0.6 * std::sqrt(1 - weight);
    const OwnDraws own = experiment.personal()->own_draws(i, {.draws = 2000});
    double found = 0, squares = 0;
    const auto draws = static_cast<double>(own.z.columns());
    for (Index c = 0; c < own.z.columns(); ++c) {
      found += own.z.column(c)[0] / draws;
      squares += own.z.column(c)[0] * own.z.column(c)[0] / draws;
    }
    // With nuts at least a third of the draws count as independent.
    EXPECT_NEAR(found, 1 + weight * (mean - 1), 4 * sd * std::sqrt(3 / draws)) << i;
    EXPECT_NEAR(std::sqrt(squares - found * found), sd, 0.1 * sd) << i;
  }
}

// With a covariance of the estimates, the population's mean differs between draws by its standard error s: a latent's
// variance grows by ((1 - weight) s)², and by as much draws of the same number vary together for all clients.
TEST_F(Personal, LatentsHaveTheUncertaintyOfTheEstimates) {
  Experiment experiment(config({R"(model.fixed=[])", "data.standardize=false", "data.test_fraction=0.0",
                                "population.spread=fixed", "population.sd_start=0.6", "model.noise_sd=0.9"}));
  experiment.prepare();
  Collect collect;
  experiment.advance(60, collect);
  constexpr double kError = 2;
  const Learnt learnt{experiment.personal()->learnt(), {kError * kError}};
  const double mu = 0.5 * (learnt.at.column(0)[0] + learnt.at.column(1)[0]);
  const double weight = stats::shrinkage(5, 0.6, 0.9), pulled = std::pow((1 - weight) * kError, 2);
  const double variance = 0.36 * (1 - weight) + pulled;
  Panel z[2];
  double mean[2] = {}, squares[2] = {}, together = 0;
  for (const std::size_t i : {0u, 1u}) {
    z[i] = experiment.personal()->own_draws(static_cast<Index>(i), {.draws = 500}, learnt).z;
    ASSERT_EQ(z[i].columns(), 1000);
    for (Index n = 0; n < 1000; ++n) mean[i] += z[i].column(n)[0] / 1000;
  }
  for (Index n = 0; n < 1000; ++n) {
    const double a = z[0].column(n)[0] - mean[0], b = z[1].column(n)[0] - mean[1];
    squares[0] += a * a / 1000, squares[1] += b * b / 1000, together += a * b / 1000;
  }
  const Federation& data = experiment.data();
  for (const std::size_t i : {0u, 1u}) {
    double observed = 0;
    for (std::size_t r = 0; r < 5; ++r) observed += data.train.y[static_cast<std::size_t>(data.train_begin[i]) + r] / 5;
    EXPECT_NEAR(mean[i], mu + weight * (observed - mu), 4 * std::sqrt(variance / 1000));
    EXPECT_NEAR(squares[i], variance, 4 * variance * std::sqrt(2.0 / 1000));
  }
  EXPECT_NEAR(together, pulled, 4 * std::sqrt((variance * variance + pulled * pulled) / 1000));
}

// At φ = 0, σ = 1 and z = 0 the loss is ½ log 2π plus half the mean square.
TEST_F(Personal, TheLossIsThatOfTheClientsModels) {
  Experiment experiment(config({"sampler.name=fedavg", "sampler.step=0.01", "data.test_fraction=0.0"}));
  experiment.prepare();
  double squares = 0;
  for (const double y : experiment.data().train.y) squares += y * y / 60;
  EXPECT_NEAR(experiment.personal()->row_loss().train, 0.5 * std::log(2 * std::numbers::pi) + squares / 2, 1e-12);
  EXPECT_TRUE(std::isnan(experiment.personal()->row_loss().test));
}

TEST_F(Personal, ClassesArePredicted) {
  Experiment experiment(config({"model.kind=mixed-logistic", "data.target=label", "run.iterations=200"}));
  experiment.prepare();
  Collect collect;
  experiment.advance(200, collect);
  EXPECT_TRUE(experiment.personal()->predicts_classes());
  const OwnDraws own = experiment.personal()->own_draws(0, {.draws = 50});
  ASSERT_FALSE(own.mean.empty());
  for (const double p : own.mean) EXPECT_TRUE(p > 0 && p < 1) << p;
}

// Sums over a client's rows: of classes they add up to the rows, of numbers they have the mean of the averaged response
// and at least the noise's variance.
TEST_F(Personal, SumsOverRowsAreThoseOfThePredictions) {
  for (const bool classes : {true, false}) {
    Experiment experiment(config({classes ? "model.kind=mixed-logistic" : "model.kind=mixed-gaussian",
                                  classes ? "data.target=label" : "data.target=y", "run.iterations=100",
                                  "data.test_fraction=0.0", "run.burn_in=50"}));
    experiment.prepare();
    Collect collect;
    experiment.advance(100, collect);
    const PersonalResults& personal = *experiment.personal();
    EXPECT_TRUE(personal.own_draws(0, {.draws = 50}).mean.empty()) << "there are no test rows";
    const OwnDraws own = personal.own_draws(0, {.draws = 50, .training = true, .edges = {-1, 0, 2}});
    const auto rows = static_cast<double>(experiment.data().train_rows(0));
    double mean = 0, all = 0;
    for (const double m : own.mean) mean += m;
    const std::size_t groups = classes ? 2 : 4;
    const std::size_t numbers = classes ? groups : groups + 1;
    EXPECT_EQ(own.sums.draws, 50 * experiment.config().run.chains);
    ASSERT_EQ(own.sums.mean.size(), numbers * static_cast<std::size_t>(own.sums.draws));
    double last = 0;
    for (std::size_t k = 0; k < own.sums.mean.size(); ++k) {
      if (k % numbers < groups) all += own.sums.mean[k];
      if (k % numbers == numbers - 1) last += own.sums.mean[k];
    }
    EXPECT_NEAR(all / static_cast<double>(own.sums.draws), rows, 1e-9);
    EXPECT_NEAR(last / static_cast<double>(own.sums.draws), mean, 1e-9);
    EXPECT_GT(std::ranges::max(own.sums.variance), 0);
  }
}

TEST_F(Personal, ChainsAreComparedInWhatDataDetermine) {
  const auto identified = [&](const Overrides& set) {
    const Experiment experiment(config(set));
    std::vector<std::string> out;
    for (const std::size_t j : experiment.personal()->identified()) out.push_back(experiment.labels()[j]);
    return out;
  };
  EXPECT_EQ(identified({}), Experiment(config({})).labels());
  EXPECT_THAT(identified({"population.prior=energy"}), ElementsAre("x", "w", "log_sigma"));
  EXPECT_THAT(identified({"model.kind=mixed-linear", "data.intercept=false"}), ElementsAre("log_sigma"));
  EXPECT_THAT(identified({"model.kind=mixed-linear", "data.intercept=false", "model.noise_sd=1.0"}), ElementsAre());
}

TEST_F(Personal, ItsPathIsCalledAnEstimate) {
  Experiment experiment(config({}));
  experiment.prepare();
  EXPECT_THAT(experiment.notes(), Contains(HasSubstr("estimates")));
  EXPECT_TRUE(experiment.warnings().empty()) << experiment.warnings()[0];
}

}  // namespace
}  // namespace pollen
