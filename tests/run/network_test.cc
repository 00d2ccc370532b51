// Networks under samplers: a network without hidden layers is a generalised linear model and has its posterior; draws
// do not depend on threads; starts, warm-ups and priors are what the configuration says.
#include "network/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <cmath>
#include <fstream>

#include "pollen/errors.h"
#include "pollen/random.h"
#include "reference/reference.h"
#include "run/problem.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;
using ::testing::HasSubstr;
using testing::kLogistic;
using testing::sample;

// Returns a name of its own for every test, because tests run in parallel.
std::string own_file(const std::string& name) {
  return fmt::format("{}{}-{}-{}", ::testing::TempDir(),
                     ::testing::UnitTest::GetInstance()->current_test_info()->name(), ::getpid(), name);
}

// Rows of two clients with three columns: a response that is nearly linear in two of them, a group, and a class.
class Networks : public ::testing::Test {
 protected:
  Networks() : path_(own_file("rows.csv")) {
    std::vector<double> z(4 * kRows);
    normals(make_stream(3, 0, Purpose::init), z);
    std::ofstream out(path_);
    out << "a,b,silo,y,kind\n";
    for (std::size_t r = 0; r < kRows; ++r) {
      const double a = z[4 * r], b = z[4 * r + 1], y = 0.5 + a - 2 * b + 0.7 * z[4 * r + 2];
      out << a << ',' << b << ',' << r % 2 << ',' << y << ',' << (y < -1 ? "low" : y < 1 ? "mid" : "high") << '\n';
    }
  }
  std::string text(const std::string& target, const std::string& model) const {
    return fmt::format(R"(
seed = 4
[model]
prior_sd = 2.0
{}
[data]
source = "{}"
target = "{}"
features = ["a", "b"]
partition = "by-column"
column = "silo"
test_fraction = 0.0
standardize = false
[sampler]
name = "lsd"
step = 0.002
[run]
iterations = 40000
burn_in = 1000
chains = 2
)",
                       model, path_, target);
  }
  static constexpr std::size_t kRows = 60;
  std::string path_;
};

StatisticalProblem problem_of(const std::string& text, const Overrides& overrides = {}) {
  return make_problem(read_config_text(text, "test.toml", overrides));
}

// Reorders each class's intercept and coefficients into the weights of all classes followed by their biases.
std::vector<double> as_network(std::span<const double> softmax, std::size_t classes) {
  const std::size_t p = softmax.size() / classes;
  std::vector<double> out;
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t j = 1; j < p; ++j) out.push_back(softmax[c * p + j]);
  for (std::size_t c = 0; c < classes; ++c) out.push_back(softmax[c * p]);
  return out;
}

// Centralised samplers take a network's rows at once, not client by client.
TEST_F(Networks, PooledRowsAreTheSumOverClients) {
  const auto net = problem_of(text("kind", "kind = \"mlp\"\nsizes = [4]"));
  ReferenceProblem apart;
  for (std::size_t i = 0; i < net.potentials.size(); ++i) {
    apart.held.push_back(net.potentials[i]);
    apart.clients.push_back(apart.held.back().get());
  }
  apart.prior = &net.prior;
  apart.dimension = net.dimension();
  ReferenceProblem pooled = apart;
  pooled.pool = [&] { return make_potential(net.model, {net.data.train.view(), net.data.train.y.data()}); };
  ReferenceSettings settings;
  settings.step = 1e-3;
  settings.batch.count = 7;
  for (const char* name : {"sgld-pooled", "psgld", "svrg-ld"}) {
    const auto one = make_reference(name, apart, settings), other = make_reference(name, pooled, settings);
    Panel start(net.dimension(), 1);
    std::ranges::fill(start.column(0), 0.3);
    one->start(start);
    other->start(start);
    for (int k = 0; k < 20; ++k) one->advance(1), other->advance(1);
    for (Index j = 0; j < net.dimension(); ++j)
      EXPECT_NEAR(one->position().column(0)[static_cast<std::size_t>(j)],
                  other->position().column(0)[static_cast<std::size_t>(j)], 1e-5)
          << name;
    EXPECT_EQ(one->counters().gradients, other->counters().gradients);
  }
}

TEST_F(Networks, OneLayerIsTheSoftmaxModel) {
  const auto glm = problem_of(text("kind", "kind = \"softmax\""));
  const auto net = problem_of(text("kind", "kind = \"mlp\"\nsizes = []"));
  ASSERT_EQ(glm.dimension(), 9);
  ASSERT_EQ(net.dimension(), 9);
  EXPECT_EQ(net.model.labels()[4], "fc1.weight[2,0]");
  std::vector<double> theta(9), value(1), other(1), g(9), h(9);
  normals(make_stream(1, 0, Purpose::noise), theta);
  const std::vector<double> same = as_network(theta, 3);
  Scratch scratch;
  const std::vector<std::uint32_t> some = {4, 0, 17, 4};
  for (std::size_t i = 0; i < 2; ++i) {
    glm.potentials[i]->value({theta.data(), 9, 1, 9}, value, scratch);
    net.potentials[i]->value({same.data(), 9, 1, 9}, other, scratch);
    EXPECT_NEAR(other[0], value[0], 1e-5 * value[0]);
    glm.potentials[i]->gradient_rows(theta, some, g, scratch);
    net.potentials[i]->gradient_rows(same, some, h, scratch);
    const std::vector<double> expected = as_network(g, 3);
    for (std::size_t j = 0; j < 9; ++j) EXPECT_NEAR(h[j], expected[j], 1e-5) << j;
    EXPECT_FALSE(net.potentials[i]->curvature_is_bound());
    const std::vector<double> anchor(9, 0.25);
    std::vector<double> there(9), difference(9);
    net.potentials[i]->gradient_rows(anchor, some, there, scratch);
    net.potentials[i]->difference_rows(same, anchor, some, difference, scratch);
    for (std::size_t j = 0; j < 9; ++j) EXPECT_EQ(difference[j], h[j] - there[j]) << j;
  }
}

TEST_F(Networks, PredictAsTheSoftmaxModelDoes) {
  const auto glm = problem_of(text("kind", "kind = \"softmax\""));
  const auto net = problem_of(text("kind", "kind = \"mlp\"\nsizes = []"));
  std::vector<double> theta(9), p(3 * kRows), q(3 * kRows), l(kRows), m(kRows);
  normals(make_stream(2, 0, Purpose::noise), theta);
  const std::vector<double> same = as_network(theta, 3);
  Scratch scratch;
  glm.model.family->class_probabilities(glm.model, theta, glm.data.train.view(), p, scratch);
  net.model.family->class_probabilities(net.model, same, net.data.train.view(), q, scratch);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], q[i], 1e-6);
  glm.model.family->log_likelihood(glm.model, theta, {glm.data.train.view(), glm.data.train.y.data()}, l, scratch);
  net.model.family->log_likelihood(net.model, same, {net.data.train.view(), net.data.train.y.data()}, m, scratch);
  for (std::size_t i = 0; i < l.size(); ++i) EXPECT_NEAR(l[i], m[i], 1e-5);
}

// Without hidden layers the posterior is Gaussian, N(Λ⁻¹Xᵀy, Λ⁻¹), and Langevin's law with step γ is N(Λ⁻¹Xᵀy, (Λ(I -
// γΛ/2))⁻¹).
TEST_F(Networks, ALinearLayerHasItsExactLaw) {
  const std::string config = text("y", "kind = \"mlp\"\ntask = \"regression\"\nsizes = []\nnoise_sd = 0.7");
  const auto problem = problem_of(config);
  const Table& train = problem.data.train;
  Eigen::MatrixXd x(train.rows, 3);
  Eigen::VectorXd y(train.rows);
  for (Index r = 0; r < train.rows; ++r) {
    x.row(r) << train.view().data[r * train.stride], train.view().data[r * train.stride + 1], 1.0;
    y(r) = train.y[static_cast<std::size_t>(r)];
  }
  const Eigen::Matrix3d precision = x.transpose() * x / 0.49 + Eigen::Matrix3d::Identity() / 4;
  const Eigen::Vector3d mean = precision.ldlt().solve(x.transpose() * y / 0.49);
  const Eigen::Matrix3d law = (precision * (Eigen::Matrix3d::Identity() - 0.001 * precision)).inverse();
  const auto outcome = sample(config);
  Eigen::Vector3d found = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  double count = 0;
  for (const auto& chain : outcome.draws)
    for (std::size_t k = 0; k < chain.size(); k += 3, ++count) {
      const Eigen::Vector3d at = Eigen::Map<const Eigen::Vector3d>(chain.data() + k) - mean;
      found += at;
      second += at * at.transpose();
    }
  found /= count;
  second /= count;
  // The 78,000 draws have an autocorrelation time of at most 2/(γ λ_min) ≈ 14, so about 5,500 are independent. The
  // tolerance is five sigmas.
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(found(i), 0, 5 * std::sqrt(law(i, i) / 5500)) << i;
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(second(i, j), law(i, j), 5 * std::sqrt(2 * law(i, i) * law(j, j) / 5500)) << i << j;
  }
}

const Overrides kSmall = {"model.kind=mlp", "model.sizes=[6, 4]", "model.activation=tanh", "run.iterations=60"};

Overrides with(Overrides more) {
  more.insert(more.begin(), kSmall.begin(), kSmall.end());
  return more;
}

TEST(NetworkRuns, DrawsDoNotDependOnThreads) {
  for (const char* name : {"qlsd++", "vr-fald*", "b-elf"}) {
    const Overrides keys = with({std::string("sampler.name=") + name, "sampler.k=9", "warm_up.epochs=2"});
    const auto one = sample(kLogistic, keys, 1), three = sample(kLogistic, keys, 3);
    EXPECT_EQ(one.draws, three.draws) << name;
    EXPECT_EQ(one.counters.uplink_bits, three.counters.uplink_bits) << name;
  }
}

TEST(NetworkRuns, GoOnAfterAStopToTheSameDraws) {
  const Config config = read_config_text(kLogistic, "test.toml", with({"warm_up.epochs=1"}));
  Collect whole, parts;
  Experiment uninterrupted(config);
  uninterrupted.prepare();
  uninterrupted.advance(60, whole);
  Experiment first(config);
  first.prepare();
  first.advance(23, parts);
  const Bytes saved = first.save();
  Experiment second(config);
  second.load(saved);
  second.advance(37, parts);
  EXPECT_EQ(whole.draws, parts.draws);
}

// At weights of zero all units are alike and hardly any gradient is left, so a search from there ends at a network that
// predicts the same for every row.
TEST(NetworkRuns, TheModeIsNoNullNetwork) {
  const Overrides keys = with({"sampler.name=qlsd*", "sampler.step=1e-4", "model.prior_sd=3"});
  std::vector<std::vector<double>> modes;
  for (const Overrides& more : {Overrides{}, Overrides{"warm_up.epochs=3"}, Overrides{"run.init=mode"}}) {
    Overrides all = keys;
    all.insert(all.end(), more.begin(), more.end());
    Experiment experiment(read_config_text(kLogistic, "test.toml", all));
    experiment.prepare();
    modes.push_back(experiment.mode());
    const auto away = std::ranges::count_if(modes.back(), [](double x) { return std::abs(x) > 0.02; });
    EXPECT_GT(away, std::ssize(modes.back()) / 2);
  }
  EXPECT_EQ(modes[0], modes[2]);  // both searches begin at the same random weights
  EXPECT_NE(modes[0], modes[1]);
}

TEST(NetworkRuns, StartAtTheMode) {
  Experiment experiment(read_config_text(kLogistic, "test.toml", with({"run.init=mode", "sampler.step=1e-4"})));
  experiment.prepare();
  const std::vector<double> mode = experiment.mode();
  for (Index c = 0; c < experiment.position().columns; ++c) {
    const auto chain = experiment.position().column(c);
    EXPECT_EQ(std::vector<double>(chain.begin(), chain.end()), mode) << c;
  }
}

// fsgld's surrogates do not need a sample of any client's posterior.
TEST(NetworkRuns, VisitClientsWithSwagSurrogates) {
  const Overrides keys = with({"sampler.name=fsgld", "sampler.batch=8", "sampler.local_steps=2", "sampler.step=1e-3",
                               "run.burn_in=20", "warm_up.epochs=2"});
  const Config config = read_config_text(kLogistic, "test.toml", keys);
  Experiment experiment(config);
  experiment.prepare();
  EXPECT_THAT(to_toml(experiment.config()), HasSubstr("surrogate = \"swag\""));
  Collect collect;
  experiment.advance(60, collect);
  ASSERT_FALSE(collect.draws.empty());
  for (const double x : collect.draws.front()) EXPECT_LT(std::abs(x), 100);
  Experiment logistic(read_config_text(kLogistic, "test.toml", {"sampler.name=fsgld", "sampler.step=1e-3"}));
  EXPECT_THAT(to_toml(logistic.config()), HasSubstr("surrogate = \"draws\""));
}

TEST(NetworkRuns, AreWrittenOutAndReadBack) {
  const Config config = read_config_text(kLogistic, "test.toml", with({"warm_up.epochs=1", "model.weight_decay=4"}));
  const std::string text = to_toml(config);
  EXPECT_THAT(text, HasSubstr("sizes = [6, 4]"));
  EXPECT_THAT(text, HasSubstr("init = \"random\""));
  EXPECT_THAT(text, HasSubstr("[warm_up]"));
  EXPECT_EQ(to_toml(read_config_text(text, "test.toml")), text);
  EXPECT_EQ(problem_of(text).prior.precision.front(), 4);
}

TEST(NetworkRuns, StartAsTheirTensorsSay) {
  Experiment experiment(read_config_text(kLogistic, "test.toml", kSmall));
  experiment.prepare();
  const Network& network = *experiment.model().network.network;
  const auto first = experiment.position().column(0), second = experiment.position().column(1);
  EXPECT_NE(first[0], second[0]);
  for (const NetworkTensor& tensor : network.tensors()) {
    double largest = 0;
    for (std::int64_t i = tensor.offset; i < tensor.offset + tensor.size; ++i)
      largest = std::max(largest, std::abs(first[static_cast<std::size_t>(i)]));
    EXPECT_LE(largest, tensor.spread) << tensor.name;
    EXPECT_GT(largest, 0.3F * tensor.spread) << tensor.name;
  }
}

TEST(NetworkRuns, StartFromAFile) {
  const std::string path = own_file("start.txt");
  Experiment reference(read_config_text(kLogistic, "test.toml", kSmall));
  const auto d = static_cast<std::size_t>(reference.model().dimension());
  {
    std::ofstream out(path);
    for (std::size_t i = 0; i < d; ++i) out << 0.001 * static_cast<double>(i) << (i % 7 == 6 ? '\n' : ',');
  }
  Experiment experiment(read_config_text(kLogistic, "test.toml", with({"run.init=file:" + path})));
  experiment.prepare();
  EXPECT_EQ(experiment.position().column(2)[5], 0.005);
  std::ofstream(path, std::ios::app) << "1";
  Experiment longer(read_config_text(kLogistic, "test.toml", with({"run.init=file:" + path})));
  EXPECT_THROW(longer.prepare(), ConfigError);
}

// On a quadratic target the descent ends at the mode; on a network the potential falls.
TEST_F(Networks, WarmUpDescends) {
  const std::string linear = text("y", "kind = \"mlp\"\ntask = \"regression\"\nsizes = []\nnoise_sd = 0.7");
  const Overrides long_one = {"warm_up.epochs=600", "warm_up.batch=100", "warm_up.rate=0.1"};
  Experiment mode(read_config_text(linear, "test.toml", {"run.init=mode"}));
  mode.prepare();
  Experiment warm(read_config_text(linear, "test.toml", long_one));
  warm.prepare();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(warm.position().column(0)[i], mode.position().column(0)[i], 1e-3);
  EXPECT_GT(warm.counters().setup_bits, 0);
}

TEST_F(Networks, FedBeDistilsFromRowsOfTheServers) {
  const std::string config = text("kind", "kind = \"mlp\"\nsizes = [4]");
  const Overrides keys = {"sampler.name=fedbe", "sampler.distill=true", "run.iterations=20", "run.burn_in=5"};
  Overrides with_rows = keys;
  with_rows.push_back("data.distill_source=" + path_);
  Experiment experiment(read_config_text(config, "test.toml", with_rows));
  EXPECT_EQ(experiment.data().distill.rows, static_cast<Index>(kRows));
  experiment.prepare();
  Collect collect;
  experiment.advance(20, collect);
  ASSERT_FALSE(collect.draws.empty());
  for (const double x : collect.draws.front()) EXPECT_LT(std::abs(x), 100);
  EXPECT_THROW(Experiment(read_config_text(config, "test.toml", keys)), ConfigError);
}

void expect_refused(const Overrides& keys, const std::string& words) {
  try {
    Experiment experiment(read_config_text(kLogistic, "test.toml", keys));
    experiment.prepare();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(NetworkRuns, WhatCannotBeIsRefused) {
  expect_refused(with({"sampler.step=auto"}), "sampler.step");
  expect_refused(with({"model.prior_sd=[1, 2]"}), "one per tensor (6: fc1.weight");
  expect_refused(with({"model.weight_decay=1", "model.prior_sd=3"}), "model.weight_decay");
  expect_refused(with({"model.input=[1, 2, 2]"}), "whose product is 5");
  expect_refused(with({"model.input_sd=[1, 2]"}), "one per channel (1)");
  expect_refused({"model.kind=lenet5"}, "model.input");
  expect_refused(with({"compute.engine=lean", "compute.device=cuda"}), "cuda");
  expect_refused({"run.init=random"}, "accepted with a network");
}

}  // namespace
}  // namespace pollen
