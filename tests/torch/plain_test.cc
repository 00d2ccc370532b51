// Compares with networks of at most one hidden layer, written with plain loops in double.
#include <gtest/gtest.h>

#include <functional>

#include "help.h"
#include "network/network.h"

namespace pollen::testing {
namespace {

struct Activation {
  std::function<double(double)> value, slope;
};

Activation activation_of(const std::string& name) {
  const auto logistic = [](double a) { return 1 / (1 + std::exp(-a)); };
  if (name == "tanh")
    return {[](double a) { return std::tanh(a); }, [](double a) { return 1 - std::tanh(a) * std::tanh(a); }};
  if (name == "relu") return {[](double a) { return std::max(a, 0.0); }, [](double a) { return a > 0 ? 1.0 : 0.0; }};
  return {[=](double a) { return a * logistic(a); },
          [=](double a) { return logistic(a) * (1 + a * (1 - logistic(a))); }};
}

// Returns W in + b, with W (to × from) and then b at θ[first].
std::vector<double> affine(const std::vector<float>& theta, std::size_t first, const std::vector<double>& in,
                           std::size_t to) {
  std::vector<double> out(to);
  for (std::size_t o = 0; o < to; ++o) {
    out[o] = double{theta[first + to * in.size() + o]};
    for (std::size_t i = 0; i < in.size(); ++i) out[o] += double{theta[first + o * in.size() + i]} * in[i];
  }
  return out;
}

// Adds the gradient of affine's tensors, given that of its outputs, and returns that of its inputs.
std::vector<double> affine_back(const std::vector<float>& theta, std::size_t first, const std::vector<double>& in,
                                const std::vector<double>& out_gradient, std::vector<double>& g) {
  const std::size_t to = out_gradient.size();
  std::vector<double> back(in.size(), 0.0);
  for (std::size_t o = 0; o < to; ++o) {
    g[first + to * in.size() + o] += out_gradient[o];
    for (std::size_t i = 0; i < in.size(); ++i) {
      g[first + o * in.size() + i] += out_gradient[o] * in[i];
      back[i] += out_gradient[o] * double{theta[first + o * in.size() + i]};
    }
  }
  return back;
}

// Returns -log p of one row and replaces the outputs by its derivative.
double row_loss(const NetworkSpec& spec, std::vector<double>& f, double y) {
  if (!spec.classifies) {
    const double z = (y - f[0]) / spec.noise_sd;
    f[0] = -z / spec.noise_sd;
    return 0.5 * z * z + std::log(spec.noise_sd) + 0.5 * std::log(2 * M_PI);
  }
  double sum = 0;
  for (const double a : f) sum += std::exp(a);
  const std::size_t observed = static_cast<std::size_t>(y);
  const double loss = std::log(sum) - f[observed];
  for (double& a : f) a = std::exp(a) / sum;
  f[observed] -= 1;
  return loss;
}

double plain_loss(const Case& c, std::vector<double>& g) {
  const NetworkSpec& spec = c.network->spec();
  const std::size_t inputs = static_cast<std::size_t>(spec.inputs()), outputs = static_cast<std::size_t>(spec.outputs);
  const std::size_t hidden = spec.hidden.empty() ? 0 : static_cast<std::size_t>(spec.hidden[0]);
  const std::size_t second = hidden * (inputs + 1);
  const Activation activation = activation_of(spec.activation);
  g.assign(c.theta.size(), 0.0);
  double loss = 0;
  for (std::size_t j = 0; j < c.y.size(); ++j) {
    const auto start = c.x.begin() + static_cast<std::ptrdiff_t>(j * inputs);
    const std::vector<double> x(start, start + static_cast<std::ptrdiff_t>(inputs));
    const std::vector<double> before = hidden > 0 ? affine(c.theta, 0, x, hidden) : x;
    std::vector<double> after = before;
    if (hidden > 0)
      for (double& a : after) a = activation.value(a);
    std::vector<double> f = affine(c.theta, second, after, outputs);
    loss += row_loss(spec, f, double{c.y[j]});
    std::vector<double> back = affine_back(c.theta, second, after, f, g);
    if (hidden == 0) continue;
    for (std::size_t h = 0; h < hidden; ++h) back[h] *= activation.slope(before[h]);
    affine_back(c.theta, 0, x, back, g);
  }
  return loss;
}

// Float32 rounds each of about a hundred terms by 6e-8. The terms have both signs, so the error grows at most as the
// root of their number.
void expect_plain(const NetworkSpec& spec) {
  const Case c(spec, 101);
  std::vector<double> expected;
  std::vector<float> g;
  const double expected_loss = plain_loss(c, expected);
  EXPECT_NEAR(c.loss(c.theta, &g) / expected_loss, 1, 1e-6);
  EXPECT_LT(apart(g, expected), 1e-6) << spec.activation;
}

TEST(Plain, SoftmaxRegression) { expect_plain(mlp({})); }

TEST(Plain, OneHiddenLayer) {
  for (const char* activation : {"tanh", "relu", "swish"}) expect_plain(mlp({9}, activation));
}

TEST(Plain, RealResponse) {
  NetworkSpec spec = mlp({9}, "swish");
  spec.outputs = 1;
  spec.classifies = false;
  spec.noise_sd = 0.3;
  expect_plain(spec);
}

}  // namespace
}  // namespace pollen::testing
