#include "model/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

long double PlainRow::z(Index k) const {
  long double sum = 0;
  for (Index j = 0; j < features; ++j)
    sum += static_cast<long double>(x[j]) * theta[static_cast<std::size_t>(k * features + j)];
  return sum;
}

const std::vector<KnownFamily>& known_families() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  static const std::vector<KnownFamily> all = {
      {.name = "gaussian", .family = "gaussian"},  // mean and precision
      {.name = "gaussian-data",
       .family = "gaussian",
       .loss =
           [](const PlainRow& row) {
             long double sum = 0;
             for (std::size_t j = 0; j < row.theta.size(); ++j)
               sum += std::pow(static_cast<long double>(row.theta[j]) - row.x[j], 2.0L);
             return sum / 2;
           }},
      {.name = "linear",
       .family = "linear",
       .noise_sd = 0.7,
       .refused = {kNaN, kInfinity},
       .loss = [](const PlainRow& row) { return std::pow((row.y - row.z()) / 0.7, 2.0L) / 2; },
       .constant = [](double) { return std::log(0.7) + 0.5 * std::log(2 * std::numbers::pi); }},
      {.name = "linear-sigma",
       .family = "linear",
       .bound = false,
       .refused = {kNaN, -kInfinity},
       .loss =
           [](const PlainRow& row) {
             const long double log_sd = row.theta.back();
             return std::pow((row.y - row.z()) / std::exp(log_sd), 2.0L) / 2 + log_sd;
           },
       .constant = [](double) { return 0.5 * std::log(2 * std::numbers::pi); }},
      {.name = "logistic",
       .family = "logistic",
       .below = 2,
       .hessian = false,
       .refused = {kNaN, -1, 0.5, 2},
       .loss = [](const PlainRow& row) { return std::log1p(std::exp(row.z())) - row.y * row.z(); }},
      {.name = "softmax",
       .family = "softmax",
       .below = 3,
       .hessian = false,
       .refused = {kNaN, -1, 0.5, 3},
       .loss =
           [](const PlainRow& row) {
             const long double sum = std::exp(row.z(0)) + std::exp(row.z(1)) + std::exp(row.z(2));
             return std::log(sum) - row.z(static_cast<Index>(row.y));
           }},
      {.name = "poisson",
       .family = "poisson",
       .below = 5,
       .bound = false,
       .refused = {kNaN, kInfinity, -1, 0.5},
       .loss = [](const PlainRow& row) { return std::exp(row.z()) - row.y * row.z(); },
       .constant = [](double y) { return std::log(std::tgamma(y + 1)); }},
  };
  return all;
}

const KnownFamily& known_family(const std::string& name) {
  return *std::ranges::find(known_families(), name, &KnownFamily::name);
}

std::vector<std::string> kinds(bool (*test)(const KnownFamily&)) {
  std::vector<std::string> names;
  for (const KnownFamily& known : known_families())
    if (test(known)) names.push_back(known.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  std::erase(name, '-');
  return name;
}

namespace {

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
  const KnownFamily& known = known_family(name);
  c.name = name;
  c.spec.family = &model_family(known.family);
  c.spec.features = features;
  c.spec.noise_sd = known.noise_sd;
  if (known.below > 0) c.spec.classes = static_cast<Index>(known.below);
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
    c.y.push_back(known.below > 0 ? std::floor(known.below * dice.uniform()) : dice.normal());
  }
  c.observations = {RowsView{c.x.data(), rows, features, stride}, c.y.data()};
  c.potential = make_potential(c.spec, c.observations, scale);
  return c;
}

long double plain_loss(const Case& c, std::span<const double> theta, Index row) {
  return known_family(c.name).loss(
      {theta, c.observations.x.row(row), c.spec.features, c.y[static_cast<std::size_t>(row)]});
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
