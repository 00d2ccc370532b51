// Networks with a last layer of every client's own: gradients by both parts, the table of features at a fixed φ, and
// the linear mixed model where there is nothing before that layer.
#include "network/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "math/math.h"
#include "model/personal_model.h"
#include "pollen/random.h"

namespace pollen {
namespace {

struct Rows {
  AlignedVector<double> x;
  std::vector<double> y;
  Index columns = 0;
  RowsView view() const { return {x.data(), std::ssize(y), columns, padded(columns)}; }
};

Rows some_rows(Index count, Index columns, Index classes) {
  Rows out{AlignedVector<double>(static_cast<std::size_t>(count * padded(columns))), {}, columns};
  Sequence draws(make_stream(8, 0, Purpose::synthetic));
  for (Index r = 0; r < count; ++r) {
    for (Index j = 0; j < columns; ++j) out.x[static_cast<std::size_t>(r * padded(columns) + j)] = draws.normal();
    out.y.push_back(classes > 0 ? static_cast<double>(r % classes) : draws.normal());
  }
  return out;
}

NetworkModel network(NetworkSpec spec) { return {make_lean_network(spec), {0.0}, {1.0}}; }

NetworkSpec mlp(std::vector<std::int64_t> hidden, std::int64_t inputs, std::int64_t classes) {
  NetworkSpec spec;
  spec.width = inputs;
  spec.hidden = std::move(hidden);
  spec.activation = "tanh";
  spec.classifies = classes > 0;
  spec.outputs = classes > 0 ? classes : 1;
  spec.noise_sd = 0.6;
  return spec;
}

std::vector<double> normals_of(Index count, std::uint64_t seed, double sd) {
  std::vector<double> out(static_cast<std::size_t>(count));
  normals(make_stream(seed, 0, Purpose::noise), out);
  for (double& x : out) x *= sd;
  return out;
}

// The cases are classes with more features than outputs, classes with fewer, and a response.
class LastLayers : public ::testing::TestWithParam<NetworkSpec> {
 protected:
  LastLayers()
      : rows_(some_rows(70, static_cast<Index>(GetParam().inputs()), GetParam().classifies ? GetParam().outputs : 0)),
        model_(make_personal_network(network(GetParam()))),
        held_(model_->rows(rows_.view(), rows_.y.data())),
        potential_(held_->potential()),
        shared_(normals_of(model_->shared(), 1, 0.5)),
        z_(normals_of(model_->latent(), 2, 0.5)),
        by_shared_(shared_.size()),
        by_latent_(z_.size()) {}

  double value() { return potential_->gradient(shared_, z_, by_latent_, by_shared_, scratch_); }

  Rows rows_;
  std::unique_ptr<PersonalModel> model_;
  std::unique_ptr<PersonalRows> held_;
  std::unique_ptr<PersonalPotential> potential_;
  std::vector<double> shared_, z_, by_shared_, by_latent_;
  Scratch scratch_;
};

TEST_P(LastLayers, GradientsAreDifferencesOfTheLoss) {
  value();
  const std::vector<double> of_shared = by_shared_, of_latent = by_latent_;
  const auto check = [&](std::vector<double>& at, std::size_t j, double expected) {
    const double x = at[j], h = 1e-2;  // the network computes in float32
    at[j] = x + h;
    const double above = value();
    at[j] = x - h;
    const double below = value();
    at[j] = x;
    EXPECT_NEAR((above - below) / (2 * h), expected, 0.02 + 0.002 * std::abs(expected)) << j;
  };
  for (std::size_t j = 0; j < shared_.size(); j += 3) check(shared_, j, of_shared[j]);
  for (std::size_t j = 0; j < z_.size(); ++j) check(z_, j, of_latent[j]);
}

TEST_P(LastLayers, TheSameAtAFixedSharedPart) {
  const auto fixed = held_->at(shared_);
  ASSERT_NE(fixed, nullptr);
  const double whole = value();
  std::vector<double> g(z_.size());
  EXPECT_NEAR(fixed->potential()->gradient(shared_, z_, g, {}, scratch_), whole, 1e-5 * std::abs(whole));
  for (std::size_t j = 0; j < g.size(); ++j) EXPECT_NEAR(g[j], by_latent_[j], 1e-4) << j;
  const auto numbers = static_cast<std::size_t>(held_->rows() * model_->outputs());
  std::vector<double> p(numbers), q(numbers), l(rows_.y.size()), m(rows_.y.size());
  held_->predict(shared_, z_, p, scratch_);
  fixed->predict(shared_, z_, q, scratch_);
  for (std::size_t i = 0; i < numbers; ++i) EXPECT_NEAR(p[i], q[i], 1e-5);
  held_->log_likelihood(shared_, z_, l, scratch_);
  fixed->log_likelihood(shared_, z_, m, scratch_);
  for (std::size_t r = 0; r < l.size(); ++r) EXPECT_NEAR(l[r], m[r], 1e-5);
  EXPECT_NEAR(-std::accumulate(l.begin(), l.end(), 0.0), whole, 1e-4 * std::abs(whole));
  EXPECT_EQ(fixed->at(shared_), nullptr);
}

// Checks vᵀ∇²v along some directions.
TEST_P(LastLayers, TheLatentsCurvatureIsBounded) {
  const double bound = potential_->latent_curvature(shared_, scratch_);
  const std::vector<double> at = z_;
  for (std::uint64_t seed = 3; seed < 9; ++seed) {
    const std::vector<double> v = normals_of(model_->latent(), seed, 1);
    const double square = math::squared_norm(v), h = 1e-2;
    double along = 0;
    for (const double side : {-1.0, 1.0}) {
      for (std::size_t j = 0; j < at.size(); ++j) z_[j] = at[j] + side * h * v[j];
      value();
      for (std::size_t j = 0; j < at.size(); ++j) along += side * by_latent_[j] * v[j] / (2 * h * square);
    }
    EXPECT_LE(along, bound);
    EXPECT_GT(along, 0);
  }
}

TEST_P(LastLayers, NamesAndSizes) {
  EXPECT_EQ(std::ssize(model_->shared_labels()), model_->shared());
  EXPECT_EQ(std::ssize(model_->latent_labels()), model_->latent());
  EXPECT_EQ(model_->latent_labels().front(), "fc2.weight[0,0]");
  EXPECT_EQ(model_->shared_labels().front(), "fc1.weight[0,0]");
  EXPECT_FALSE(model_->identified());
}

INSTANTIATE_TEST_SUITE_P(, LastLayers, ::testing::Values(mlp({7}, 4, 3), mlp({3}, 5, 4), mlp({5}, 3, 0)));

// Without earlier layers the model is y ~ N((x, 1)ᵀz, σ²).
TEST(LastLayer, AloneIsTheLinearMixedModel) {
  const Rows rows = some_rows(23, 3, 0);
  Rows with_ones{AlignedVector<double>(rows.y.size() * 8, 1.0), rows.y, 4};
  for (std::size_t r = 0; r < rows.y.size(); ++r) std::copy_n(rows.x.data() + r * 8, 3, with_ones.x.data() + r * 8);
  const auto layer = make_personal_network(network(mlp({}, 3, 0)));
  ASSERT_EQ(layer->shared(), 0);
  ASSERT_EQ(layer->latent(), 4);
  EXPECT_TRUE(layer->identified());
  const MixedSpec spec{MixedKind::gaussian, 4, 0.6, {}, {"a", "b", "c", "one"}};
  const auto mixed = make_mixed_model(spec, {"a", "b", "c", "one"});
  const auto ours = layer->rows(rows.view(), rows.y.data()), theirs = mixed->rows(with_ones.view(), rows.y.data());
  const std::vector<double> z = normals_of(4, 5, 1);
  std::vector<double> g(4), h(4), l(rows.y.size()), m(rows.y.size());
  Scratch scratch;
  ours->potential()->gradient({}, z, g, {}, scratch);
  theirs->potential()->gradient({}, z, h, {}, scratch);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(g[j], h[j], 1e-4) << j;
  ours->log_likelihood({}, z, l, scratch);
  theirs->log_likelihood({}, z, m, scratch);
  for (std::size_t r = 0; r < l.size(); ++r) EXPECT_NEAR(l[r], m[r], 1e-5);
  EXPECT_NEAR(ours->potential()->latent_curvature({}, scratch), theirs->potential()->latent_curvature({}, scratch),
              1e-3);
}

TEST(LastLayer, OfLeNetHas850Numbers) {
  NetworkSpec spec;
  spec.kind = "lenet5";
  spec.height = spec.width = 28;
  spec.outputs = 10;
  const auto model = make_personal_network(network(spec));
  EXPECT_EQ(model->latent(), 850);
  EXPECT_EQ(model->shared() + model->latent(), 61706);
  EXPECT_EQ(model->latent_labels().front(), "fc3.weight[0,0]");
}

// A network of which nothing but the tensors is known.
class Strange final : public Network {
 public:
  const NetworkSpec& spec() const override { return spec_; }
  const std::vector<NetworkTensor>& tensors() const override { return tensors_; }
  std::unique_ptr<NetworkRows> hold(const float*, const float*, std::int64_t) const override { return nullptr; }
  double loss(const NetworkRows&, const std::uint32_t*, std::int64_t, const float*, float*) const override { return 0; }
  void outputs(const NetworkRows&, std::int64_t, std::int64_t, const float*, float*) const override {}

 private:
  NetworkSpec spec_;
  std::vector<NetworkTensor> tensors_ = {{"bias", {2}, 0, 2}, {"weight", {2, 3}, 2, 6}};
};

TEST(LastLayer, AnotherOrderOfTensorsIsRefused) {
  EXPECT_THROW(make_personal_network({std::make_shared<Strange>(), {0.0}, {1.0}}), std::invalid_argument);
}

}  // namespace
}  // namespace pollen
