// Forecasts of whole configurations: what clients answer about their noise, and the step that follows, against exact
// laws of the same problems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "forecasts.h"
#include "support/problems.h"

namespace pollen {
namespace {

using forecasts::expect_law;
using forecasts::expect_near;
using forecasts::forecast_of;
using forecasts::ratios;
using laws::Problem;
using stats::AveragingLawOptions;
using stats::GradientLawOptions;
using Oracle = GradientLawOptions::Oracle;
using Who = GradientLawOptions::Participation;
using Code = GradientLawOptions::Compressor;
using ::testing::HasSubstr;

TEST(ForecastRun, GradientFamilyWithMinibatches) {
  const Problem problem = laws::regression();
  GradientLawOptions o;
  o.oracle = Oracle::minibatch;
  o.batch = 2;
  const std::string sgld = "sampler.name=sgld", batch = "sampler.batch=2";
  expect_law(problem, o, {sgld, batch}, "sgld");
  o.participation = Who::bernoulli_inverse;
  o.probability = {0.5, 0.7, 0.9};
  expect_law(problem, o,
             {sgld, batch, "participation.policy=bernoulli", "participation.probability=[0.5, 0.7, 0.9]",
              "participation.scaling=inverse-probability"},
             "inverse");
  o.participation = Who::bernoulli_active;
  o.probability = {0.5, 0.5, 0.5};
  expect_law(
      problem, o,
      {sgld, batch, "participation.policy=bernoulli", "participation.probability=0.5", "participation.scaling=active"},
      "active");
  o.participation = Who::fixed_size_replacement;
  o.size = 2;
  expect_law(problem, o,
             {sgld, batch, "participation.policy=fixed-size", "participation.size=2", "participation.replacement=true"},
             "with replacement");
  o.participation = Who::full;
  o.up = Code::rand_k;
  expect_law(problem, o, {"sampler.name=qlsd#", batch, "sampler.compressor=rand-k", "sampler.k=1"}, "rand-k");
}

TEST(ForecastRun, ControlVariatesAndMemories) {
  const Problem problem = laws::regression();
  GradientLawOptions o;
  o.oracle = Oracle::fixed_point;
  o.batch = 1;
  expect_law(problem, o, {"sampler.name=lsd*", "sampler.batch=1"}, "lsd*");
  expect_law(problem, o, {"sampler.name=clsd*", "sampler.batch=1"}, "clsd*");
  o.up = Code::rand_k;
  expect_law(problem, o, {"sampler.name=qlsd*", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1"},
             "qlsd*");
  o.oracle = Oracle::svrg;
  o.refresh = 3;
  o.memory = 0.5;
  expect_law(
      problem, o,
      {"sampler.name=qlsd++", "sampler.batch=1", "sampler.refresh=3", "sampler.compressor=rand-k", "sampler.k=1"},
      "qlsd++");
}

TEST(ForecastRun, AveragingFamilyWithMinibatches) {
  const Problem problem = laws::regression();
  const auto target = problem.exact.target();
  AveragingLawOptions o{.step = 0.01, .steps = 3, .batch = 2};
  const Overrides fald{"sampler.name=fald", "sampler.batch=2", "sampler.local_steps=3"};
  expect_near(forecast_of(problem, fald, o.step), ratios({averaging_family_law(problem.exact, o).front()}, target),
              "fald");
  const double bias = (averaging_family_law(problem.exact, o).front().mean - target.mean)
                          .cwiseQuotient(target.covariance.diagonal().cwiseSqrt())
                          .cwiseAbs()
                          .maxCoeff();
  EXPECT_NEAR(forecast_of(problem, fald, o.step).bias, bias, 0.1 * bias);
  o = {.step = 0.01, .communicate = 0.5, .refresh = 0.5, .batch = 2};
  expect_near(forecast_of(problem,
                          {"sampler.name=vr-fald*", "sampler.batch=2", "sampler.communicate=0.5",
                           "sampler.refresh_probability=0.5"},
                          o.step),
              ratios({averaging_family_law(problem.exact, o).front()}, target), "vr-fald*");
}

// With full gradients and codes whose law is known the forecast is exact, so that the step may be large.
TEST(ForecastRun, FullGradientsAreExact) {
  const Problem problem = laws::matrices();
  GradientLawOptions o;
  o.step = 0.05;
  o.up = Code::rand_k;
  o.participation = Who::fixed_size;
  o.size = 2;
  const SamplingForecast f = forecast_of(problem,
                                         {"sampler.name=qlsd", "sampler.compressor=rand-k", "sampler.k=1",
                                          "participation.policy=fixed-size", "participation.size=2"},
                                         o.step);
  const auto exact = ratios(stats::gradient_family_law(problem.exact, o), problem.exact.target());
  EXPECT_TRUE(f.exact);
  EXPECT_NEAR(f.most_ratio, exact.second, 1e-5);
  EXPECT_NEAR(f.least_ratio, exact.first, 1e-5);
}

// The errors of coded messages are the step's own noise, so the law is that of lsd*.
TEST(ForecastRun, CodedMessagesAddNoNoise) {
  const Overrides some = {"participation.policy=fixed-size", "participation.size=2"};
  Overrides coded = some, plain = some;
  coded.emplace_back("sampler.name=clsd*");
  plain.emplace_back("sampler.name=lsd*");
  const SamplingForecast mine = forecast_of(laws::matrices(), coded, 0.05);
  const SamplingForecast whole = forecast_of(laws::matrices(), plain, 0.05);
  EXPECT_TRUE(mine.exact);
  EXPECT_EQ(mine.most_ratio, whole.most_ratio);
  EXPECT_EQ(mine.least_ratio, whole.least_ratio);
  EXPECT_EQ(mine.tau, whole.tau);
}

// In ψ every direction has the curvature 1, so that every sd is 1/sqrt(1 - γ/2) times the posterior's.
TEST(ForecastRun, InWhitenedCoordinates) {
  const SamplingForecast f = forecast_of(laws::matrices(), {"sampler.name=lsd", "sampler.precondition=full"}, 0.1);
  EXPECT_NEAR(f.least_ratio, 1 / std::sqrt(0.95), 1e-5);
  EXPECT_NEAR(f.most_ratio, 1 / std::sqrt(0.95), 1e-5);
  EXPECT_NEAR(f.tau, 19, 1e-3);
}

TEST(ForecastRun, EveryRunIsWarnedOfItsOwnStep) {
  const std::string text = laws::matrices().text;
  Experiment wide(read_config_text(text, "t.toml", {"sampler.name=lsd", "sampler.step=0.1"}));
  wide.prepare();
  ASSERT_NE(wide.forecast(), nullptr);
  EXPECT_FALSE(wide.forecast()->ok);
  EXPECT_THAT(wide.warnings(), ::testing::Contains(HasSubstr("keeps sds within 3 %")));
  EXPECT_TRUE(wide.mode().empty()) << "what was asked for a warning leaves no trace";
  EXPECT_EQ(wide.counters().setup_bits, 0);
  Experiment fine(read_config_text(text, "t.toml", {"sampler.name=lsd", "sampler.step=0.005"}));
  fine.prepare();
  EXPECT_TRUE(fine.forecast()->ok);
  EXPECT_TRUE(fine.warnings().empty());
}

// A chain whose step is above a bound on the curvature may stay finite and mix well, around the wrong law.
TEST(ForecastRun, StepsAboveTheStabilityBoundAreCheckedToo) {
  for (const char* name : {"sampler.name=lsd", "sampler.name=fald"}) {
    Experiment experiment(read_config_text(laws::matrices().text, "t.toml", {name, "sampler.step=20.0"}));
    experiment.prepare();
    EXPECT_THAT(experiment.warnings(), ::testing::Contains(HasSubstr("above the stability bound"))) << name;
    ASSERT_NE(experiment.forecast(), nullptr) << name;
    EXPECT_FALSE(experiment.forecast()->ok) << name;
  }
}

TEST(ForecastRun, TopKAndNetworksHaveNone) {
  Experiment experiment(read_config_text(laws::matrices().text, "t.toml", {"sampler.name=d-elf", "sampler.k=1"}));
  std::string why;
  EXPECT_FALSE(experiment.plan_forecast(false, why));
  EXPECT_THAT(why, HasSubstr("top-k"));
}

// The forecast is part of the state, so that a resumed run reports the same.
TEST(ForecastRun, SurvivesACheckpoint) {
  const Config config = read_config_text(laws::matrices().text, "t.toml", {"sampler.name=lsd", "sampler.step=auto"});
  Experiment first(config), second(config);
  first.prepare();
  second.load(first.save());
  ASSERT_NE(second.forecast(), nullptr);
  EXPECT_EQ(second.forecast()->most_ratio, first.forecast()->most_ratio);
  EXPECT_EQ(second.forecast()->widest, first.forecast()->widest);
}

// Sums x and x² of draws per coordinate.
class Moments final : public Sink {
 public:
  void kept(ConstPanelView position, std::span<const double>) override {
    sum_.resize(static_cast<std::size_t>(position.rows));
    square_.resize(sum_.size());
    for (Index c = 0; c < position.columns; ++c, ++count_)
      for (std::size_t j = 0; j < sum_.size(); ++j) {
        sum_[j] += position.column(c)[j];
        square_[j] += position.column(c)[j] * position.column(c)[j];
      }
  }
  void closed(std::int64_t, const Counters&, ConstPanelView) override {}
  double variance(std::size_t j) const { return square_[j] / count_ - sum_[j] * sum_[j] / (count_ * count_); }

 private:
  std::vector<double> sum_, square_;
  double count_ = 0;
};

// qsgd has no law in closed form. 4 · 40,000 iterations with about 1 effective draw in 10 give variances to about 1.5 %
// (a standard error), where one level of quantisation widens them by a good tenth.
TEST(ForecastRun, QuantisedMessagesAgainstARun) {
  const Problem problem = laws::points();
  const Overrides overrides{"sampler.name=qlsd",
                            "sampler.levels=1",
                            "sampler.step=0.02",
                            "run.iterations=41000",
                            "run.burn_in=1000",
                            "run.chains=4",
                            "seed=3"};
  Experiment experiment(read_config_text(problem.text, "t.toml", overrides));
  experiment.prepare();
  Moments moments;
  experiment.advance(41000, moments);
  const SamplingForecast f = forecast_of(problem, {"sampler.name=qlsd", "sampler.levels=1"}, 0.02);
  const Eigen::VectorXd target = problem.exact.target().covariance.diagonal();
  const double a = moments.variance(0) / target(0), b = moments.variance(1) / target(1);
  EXPECT_GT(std::max(a, b), 1.1);
  EXPECT_NEAR(f.most_ratio * f.most_ratio, std::max(a, b), 0.06);
  EXPECT_NEAR(f.least_ratio * f.least_ratio, std::min(a, b), 0.06);
}

}  // namespace
}  // namespace pollen
