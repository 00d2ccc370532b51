// Networks with a last layer per client in an experiment: the law of the layers, the linear mixed model as the case
// without earlier layers, starts, resuming, threads, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "math/math.h"
#include "pollen/errors.h"
#include "pollen/random.h"
#include "support/problems.h"
#include "support/same_run.h"

namespace pollen {
namespace {

using testing::Collect;
using ::testing::Contains;
using testing::expect_same;
using ::testing::HasSubstr;
using ::testing::Not;

// Rows of four clients: two columns, a response by the client's own coefficients, and three classes made of it.
class PersonalNetworks : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fmt::format("{}personal-network-{}.csv", ::testing::TempDir(), ::getpid());
    std::vector<double> n(3 * 80);
    normals(make_stream(6, 0, Purpose::init), n);
    std::ofstream out(path_);
    out << "a,b,who,y,kind\n";
    for (std::size_t r = 0; r < 80; ++r) {
      const double a = n[3 * r], b = n[3 * r + 1], own = 0.5 * static_cast<double>(r % 4) - 0.7;
      const double y = own * a - b + own + 0.6 * n[3 * r + 2];
      out << fmt::format("{},{},w{},{},{}\n", a, b, r % 4, y, y < -0.7 ? "low" : y < 0.7 ? "mid" : "high");
    }
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Config config(Overrides set) const {
    set.insert(set.begin(), fmt::format("data.source={}", path_));
    return read_config_text(R"(
seed = 3
[model]
kind = "mlp"
sizes = [3]
activation = "tanh"
personal = "last-layer"
[data]
target = "kind"
features = ["a", "b"]
partition = "by-column"
column = "who"
standardize = false
[sampler]
name = "fedsoul"
shared_step = 0.002
local_steps = 3
[run]
iterations = 40
burn_in = 10
chains = 2
)",
                            "test.toml", set);
  }
  std::string refusal(const Overrides& set) const {
    try {
      Experiment experiment(config(set));
      experiment.prepare();
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "accepted";
  }
  std::string path_;
};

const Overrides kRegression = {"model.task=regression", "data.target=y", "model.noise_sd=0.6"};

Overrides with(Overrides more, const Overrides& first = kRegression) {
  more.insert(more.begin(), first.begin(), first.end());
  return more;
}

// mixed-gaussian with all coefficients random has the same z = (a, b, intercept) and the same streams, in double
// precision.
TEST_F(PersonalNetworks, ALayerAloneIsTheLinearMixedModel) {
  const Overrides both =
      with({"sampler.step=0.002", "sampler.population_step=0.01", "population.mean_start=[0.1, 0.2, 0.3]",
            "population.sd_start=0.8", "population.spread=scalar", "run.iterations=300"});
  Experiment network(config(with({"model.sizes=[]"}, both)));
  Experiment mixed(config(with({"model.kind=mixed-gaussian", R"(model.random=["a", "b", "intercept"])",
                                "model.personal=none", "model.fixed=[]", "data.intercept=true"},
                               both)));
  ASSERT_EQ(network.dimension(), 4);
  ASSERT_EQ(mixed.dimension(), 4);
  EXPECT_EQ(network.labels().front(), "mu[fc1.weight[0,0]]");
  Collect ours, theirs;
  network.prepare();
  mixed.prepare();
  network.advance(300, ours);
  mixed.advance(300, theirs);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < theirs.draws[c].size(); ++i)
      ASSERT_NEAR(ours.draws[c][i], theirs.draws[c][i], 1e-4) << c << ' ' << i;
  EXPECT_NEAR(network.personal()->row_loss().test, mixed.personal()->row_loss().test, 1e-4);
}

// At given φ and β a response's layer is N(m, Λ⁻¹), Λ = HᵀH/σ² + I/s², m = Λ⁻¹(Hᵀy/σ² + μ/s²) with features H = (tanh,
// 1), and a test row has the density N(hᵀm, hᵀΛ⁻¹h + σ²).
TEST_F(PersonalNetworks, LayersHaveTheirExactLaw) {
  Experiment experiment(config(with({"run.chains=1", "run.iterations=200"})));
  experiment.prepare();
  Collect collect;
  experiment.advance(200, collect);
  const Panel learnt = experiment.personal()->learnt();
  const auto at = learnt.column(0);  // W (3 × 2), b (3), μ (4), log s
  const double variance = 0.36, spread = std::exp(2 * at[13]);
  const Eigen::Vector4d mu(at[9], at[10], at[11], at[12]);
  const Federation& data = experiment.data();
  const auto features = [&](const Table& table, Index first, Index count) {
    Eigen::MatrixXd h(count, 4);
    for (Index r = 0; r < count; ++r) {
      const double* x = table.view().row(first + r);
      for (std::size_t u = 0; u < 3; ++u)
        h(r, static_cast<Index>(u)) = std::tanh(at[2 * u] * x[0] + at[2 * u + 1] * x[1] + at[6 + u]);
      h(r, 3) = 1;
    }
    return h;
  };
  for (const Index i : {0, 3}) {
    const auto place = static_cast<std::size_t>(i);
    const Index first = data.train_begin[place], n = data.train_rows(i);
    const Eigen::MatrixXd h = features(data.train, first, n);
    const Eigen::Map<const Eigen::VectorXd> y(data.train.y.data() + first, n);
    const Eigen::Matrix4d precision = h.transpose() * h / variance + Eigen::Matrix4d::Identity() / spread;
    const Eigen::Matrix4d law = precision.inverse();
    const Eigen::Vector4d mean = law * (h.transpose() * y / variance + mu / spread);
    const OwnDraws own = experiment.personal()->own_draws(i, {.draws = 4000});
    const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> z(own.z.column(0).data(), 4, 4000,
                                                                       Eigen::OuterStride<>(own.z.stride()));
    const Eigen::MatrixXd apart = z.colwise() - mean;
    // With nuts at least a third of the draws count as independent. The tolerance is five sigmas.
    const Eigen::Vector4d found = apart.rowwise().mean();
    const Eigen::Matrix4d second = apart * apart.transpose() / 4000;
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(found(j), 0, 5 * std::sqrt(law(j, j) * 3 / 4000)) << j;
      for (int k = 0; k < 4; ++k)
        EXPECT_NEAR(second(j, k), law(j, k), 5 * std::sqrt(2 * law(j, j) * law(k, k) * 3 / 4000)) << j << k;
    }
    const Index begin = data.test_begin[place], rows = data.test_begin[place + 1] - begin;
    ASSERT_EQ(std::ssize(own.mean), rows);
    const Eigen::MatrixXd there = features(data.test, begin, rows);
    for (Index r = 0; r < rows; ++r) {
      const Eigen::Vector4d one = there.row(r);
      const double width = one.dot(law * one) + variance;
      const double miss = data.test.y[static_cast<std::size_t>(begin + r)] - one.dot(mean);
      const auto row = static_cast<std::size_t>(r);
      EXPECT_NEAR(own.mean[row], one.dot(mean), 5 * std::sqrt(one.dot(law * one) * 3 / 4000));
      EXPECT_NEAR(own.log_density[row], -0.5 * (miss * miss / width + std::log(2 * std::numbers::pi * width)), 0.05);
    }
  }
}

const std::vector<Overrides> kWays = {
    {"sampler.name=fedsoul"},
    {"sampler.name=fedsoul", "sampler.compressor=qsgd", "sampler.memory=true", "warm_up.epochs=3", "warm_up.batch=5"},
    {"sampler.name=fedsouk", "sampler.kernel=hmc", "participation.policy=bernoulli", "participation.probability=0.7"},
    {"population.prior=energy", "population.units=2", "population.particles=2"},
    {"sampler.name=hmc", "sampler.step=auto"},
    {"sampler.name=fedrep", "sampler.step=0.05", "warm_up.epochs=1"}};

TEST_F(PersonalNetworks, ThreadsAndStopsDoNotMatter) {
  for (const Overrides& way : kWays) {
    Experiment whole(config(way), {.threads = 1});
    Collect all, some, rest;
    whole.prepare();
    whole.advance(40, all);
    Experiment first(config(way), {.threads = 3}), second(config(way), {.threads = 2});
    first.prepare();
    first.advance(17, some);
    second.load(first.save());
    second.advance(23, rest);
    expect_same(whole, second, way[0]);
  }
}

TEST_F(PersonalNetworks, TheEffectiveConfigurationGivesTheSameRun) {
  for (const Overrides& way : kWays) {
    Experiment first(config(way)), second(read_config_text(to_toml(Experiment(config(way)).config()), "again.toml"));
    EXPECT_EQ(to_toml(first.config()), to_toml(second.config()));
    Collect some, same;
    first.prepare();
    second.prepare();
    first.advance(10, some);
    second.advance(10, same);
    expect_same(first, second, way[0]);
  }
}

// Starts are as the tensors say. The layer's start is the population's mean, and its sd is their spread.
TEST_F(PersonalNetworks, StartAsTheirTensorsSay) {
  Experiment experiment(config({}));
  experiment.prepare();
  const auto one = experiment.position().column(0), other = experiment.position().column(1);
  ASSERT_EQ(one.size(), 9U + 12U + 1U);
  double largest = 0;
  for (std::size_t j = 0; j + 1 < one.size(); ++j) {
    EXPECT_NE(one[j], 0);
    EXPECT_NE(one[j], other[j]);
    EXPECT_LE(std::abs(one[j]), j < 9 ? 1 / std::sqrt(2.0) + 1e-6 : 1 / std::sqrt(3.0) + 1e-6);
    if (j >= 9) largest = std::max(largest, std::abs(one[j]));
  }
  EXPECT_GT(largest, 0.3);
  EXPECT_NEAR(one.back(), std::log(1 / std::sqrt(3.0)), 1e-6);
  Experiment said(config({"population.mean_start=0.25", "population.sd_start=2"}));
  said.prepare();
  EXPECT_EQ(said.position().column(0)[0], one[0]);
  EXPECT_EQ(said.position().column(1)[9], 0.25);
  EXPECT_EQ(said.position().column(0).back(), math::log(2.0));
}

TEST_F(PersonalNetworks, StartFromAFile) {
  const std::string file = path_ + ".start";
  {
    std::ofstream out(file);
    for (int j = 0; j < 21; ++j) out << 0.01 * j << ' ';
  }
  Experiment experiment(config({"run.init=file:" + file}));
  experiment.prepare();
  for (const std::size_t j : {0U, 8U, 9U, 20U})
    EXPECT_EQ(experiment.position().column(1)[j], 0.01 * static_cast<double>(j));
  std::ofstream(file, std::ios::app) << "1";
  EXPECT_THAT(refusal({"run.init=file:" + file}), HasSubstr("found 22 numbers, accepted: 21"));
  std::filesystem::remove(file);
}

TEST_F(PersonalNetworks, AWarmUpLowersTheLoss) {
  const auto loss = [&](const char* epochs) {
    Experiment experiment(config({std::string("warm_up.epochs=") + epochs, "population.sd_start=0.01"}));
    experiment.prepare();
    return experiment.personal()->row_loss().train;
  };
  EXPECT_LT(loss("60"), 0.8 * loss("0"));
}

TEST_F(PersonalNetworks, LearnAndPredictEveryClientsClasses) {
  Experiment experiment(config({"run.iterations=400"}));
  experiment.prepare();
  EXPECT_THAT(experiment.notes(), Contains(HasSubstr("units can change places")));
  EXPECT_TRUE(experiment.warnings().empty()) << experiment.warnings()[0];
  const double before = experiment.personal()->row_loss().train;
  Collect collect;
  experiment.advance(400, collect);
  EXPECT_LT(experiment.personal()->row_loss().train, 0.8 * before);
  EXPECT_TRUE(experiment.personal()->predicts_classes());
  EXPECT_TRUE(experiment.personal()->identified().empty());
  ASSERT_EQ(experiment.personal()->outputs(), 3);
  const OwnDraws own = experiment.personal()->own_draws(1, {.draws = 30});
  ASSERT_FALSE(own.log_density.empty());
  ASSERT_EQ(own.mean.size(), 3 * own.log_density.size());
  const Federation& data = experiment.data();
  for (std::size_t r = 0; r < own.log_density.size(); ++r) {
    EXPECT_NEAR(own.mean[3 * r] + own.mean[3 * r + 1] + own.mean[3 * r + 2], 1, 1e-9);
    const double y = data.test.y[static_cast<std::size_t>(data.test_begin[1]) + r];
    EXPECT_NEAR(std::exp(own.log_density[r]), own.mean[3 * r + static_cast<std::size_t>(y)], 1e-9);
  }
}

TEST_F(PersonalNetworks, WhatCannotBeIsRefused) {
  const std::string kind = refusal({"model.kind=softmax"});
  EXPECT_THAT(kind, HasSubstr("test.toml: model.personal"));
  EXPECT_THAT(kind,
              HasSubstr("found \"last-layer\" with the model softmax, accepted with: mlp, lenet5, resnet20, cnn5"));
  EXPECT_THAT(refusal({"model.kind=mixed-gaussian", "data.target=y"}),
              HasSubstr("each client has latents of its own already"));
  for (const char* sampler : {"sampler.name=qlsd", "sampler.name=nuts"}) {
    const std::string words = refusal({sampler, "sampler.step=0.1"});
    EXPECT_THAT(words, HasSubstr("test.toml: sampler.name"));
    EXPECT_THAT(
        words,
        HasSubstr(
            "accepted for mlp with model.personal = \"last-layer\": \"fedsoul\", \"fedsouk\", \"hmc\", \"local\""));
  }
  for (const char* sampler : {"sampler.name=fedsoul", "sampler.name=fedrep"})
    EXPECT_THAT(refusal({sampler, "model.personal=none", "sampler.step=0.1"}),
                HasSubstr("accepted for mlp: with a model of kind \"mixed-...\", or mlp, lenet5, resnet20, cnn5 with "
                          "model.personal = \"last-layer\""));
  EXPECT_THAT(refusal({"model.personal=none"}), Not(HasSubstr("sampler.step")));
  EXPECT_THAT(refusal({"model.personal=first-layer"}), HasSubstr("\"none\", \"last-layer\""));
  EXPECT_THAT(refusal({"sampler.shared_step=auto"}), HasSubstr("sampler.shared_step"));
  EXPECT_THAT(refusal({"run.init=zero"}), HasSubstr("accepted with model.personal: \"random\", \"file:PATH\""));
  EXPECT_THAT(refusal({"model.prior_sd=[1, 2, 3, 4]"}), HasSubstr("one per tensor (2: fc1.weight, fc1.bias)"));
  EXPECT_EQ(refusal({"model.prior_sd=[1, 2]"}), "accepted");
  EXPECT_THAT(refusal({"population.sd_start=[1.0, 2.0]"}), HasSubstr("one per latent (12)"));
  EXPECT_THAT(refusal({"data.test_source=" + path_}), HasSubstr("each client's own"));
}

}  // namespace
}  // namespace pollen
