#include "model/problem.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pollen::testing {

double Dice::uniform() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

double Dice::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<double> Dice::normals(Index count, double sd) {
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& v : result) v = sd * normal();
  return result;
}

Panel Case::chains(Index count, std::uint64_t seed, double sd) const {
  Dice dice(seed);
  Panel panel(dimension(), count);
  for (Index c = 0; c < count; ++c) std::ranges::copy(dice.normals(dimension(), sd), panel.column(c).begin());
  return panel;
}

std::vector<std::string> kinds(const std::vector<std::string>& without) {
  std::vector<std::string> all{"gaussian", "gaussian-data", "linear", "linear-sigma", "logistic", "softmax", "poisson"};
  std::erase_if(all, [&](const std::string& name) { return std::ranges::count(without, name) > 0; });
  return all;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  std::erase(name, '-');
  return name;
}

namespace {

ModelSpec spec_of(const std::string& name, Index features) {
  ModelSpec spec;
  spec.features = features;
  spec.kind = name == "logistic"                ? ModelKind::logistic
              : name == "softmax"               ? ModelKind::softmax
              : name == "poisson"               ? ModelKind::poisson
              : name.substr(0, 8) == "gaussian" ? ModelKind::gaussian
                                                : ModelKind::linear;
  if (name == "linear") spec.noise_sd = 0.7;
  if (name == "softmax") spec.classes = 3;
  return spec;
}

double draw_target(ModelKind kind, Dice& dice) {
  if (kind == ModelKind::logistic) return std::floor(2.0 * dice.uniform());
  if (kind == ModelKind::softmax) return std::floor(3.0 * dice.uniform());
  if (kind == ModelKind::poisson) return std::floor(5.0 * dice.uniform());
  return dice.normal();
}

std::unique_ptr<Potential> mean_and_precision(Index d, Dice& dice, double scale) {
  const std::vector<double> a = dice.normals(d * d);
  std::vector<double> precision(a.size());
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j)
      for (Index k = 0; k < d; ++k)
        precision[static_cast<std::size_t>(i * d + j)] +=
            a[static_cast<std::size_t>(i * d + k)] * a[static_cast<std::size_t>(j * d + k)];
  return make_gaussian(dice.normals(d), precision, scale);
}

}  // namespace

Case make_case(const std::string& name, Index rows, Index features, double scale) {
  Case c;
  c.name = name;
  c.spec = spec_of(name, features);
  Dice dice(static_cast<std::uint64_t>(rows * 1000 + features));
  if (name == "gaussian") {
    c.potential = mean_and_precision(features, dice, scale);
    return c;
  }
  const Index stride = features + 3;
  c.x.assign(static_cast<std::size_t>(rows * stride), std::nan(""));
  for (Index r = 0; r < rows; ++r) {
    for (Index j = 0; j < features; ++j)
      c.x[static_cast<std::size_t>(r * stride + j)] =
          j == 0 ? 1.0 : dice.normal() / std::sqrt(static_cast<double>(features));
    c.y.push_back(draw_target(c.spec.kind, dice));
  }
  c.observations = {RowsView{c.x.data(), rows, features, stride}, c.y.data()};
  c.potential = make_potential(c.spec, c.observations, scale);
  return c;
}

long double plain_loss(const Case& c, std::span<const double> theta, Index row) {
  const Index p = c.spec.features;
  const double* x = c.observations.x.row(row);
  const long double y = c.y[static_cast<std::size_t>(row)];
  const auto z = [&](Index k) {
    long double sum = 0;
    for (Index j = 0; j < p; ++j) sum += static_cast<long double>(x[j]) * theta[static_cast<std::size_t>(k * p + j)];
    return sum;
  };
  switch (c.spec.kind) {
    case ModelKind::gaussian: {
      long double sum = 0;
      for (Index j = 0; j < p; ++j)
        sum += std::pow(static_cast<long double>(theta[static_cast<std::size_t>(j)]) - x[j], 2.0L);
      return sum / 2;
    }
    case ModelKind::linear: {
      const long double log_sd = c.spec.noise_sd ? 0.0L : static_cast<long double>(theta.back());
      const long double sd = c.spec.noise_sd ? static_cast<long double>(*c.spec.noise_sd) : std::exp(log_sd);
      return (y - z(0)) * (y - z(0)) / (2 * sd * sd) + log_sd;
    }
    case ModelKind::logistic:
      return std::log1p(std::exp(z(0))) - y * z(0);
    case ModelKind::poisson:
      return std::exp(z(0)) - y * z(0);
    case ModelKind::softmax: {
      long double sum = 0;
      for (Index k = 0; k < c.spec.classes; ++k) sum += std::exp(z(k));
      return std::log(sum) - z(static_cast<Index>(y));
    }
    case ModelKind::network:  // covered in tests/network
      break;
  }
  return 0;
}

namespace {

ConstPanelView one(std::span<const double> v) {
  return {v.data(), static_cast<Index>(v.size()), 1, static_cast<Index>(v.size())};
}

}  // namespace

std::vector<double> gradient_of(const Potential& u, std::span<const double> theta) {
  Scratch scratch;
  std::vector<double> g(theta.size(), std::nan(""));
  const auto d = static_cast<Index>(g.size());
  u.gradient(one(theta), PanelView{g.data(), d, 1, d}, scratch);
  return g;
}

double value_of(const Potential& u, std::span<const double> theta) {
  Scratch scratch;
  double value = std::nan("");
  u.value(one(theta), {&value, 1}, scratch);
  return value;
}

std::vector<double> curvature_of(const Potential& u, std::span<const double> at, std::span<const double> v) {
  Scratch scratch;
  std::vector<double> out(v.size(), std::nan(""));
  u.curvature(at, v, out, scratch);
  return out;
}

void expect_close(std::span<const double> a, std::span<const double> b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (const double v : b) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(largest, 1e-300)) << "at " << i;
}

}  // namespace pollen::testing
