// Predictive distributions at one θ, computed one block of rows at a time. Nothing here influences a draw.
#include <math.h>  // for lgamma_r, because std::lgamma writes a global

#include <algorithm>
#include <cmath>
#include <numbers>

#include "blocks.h"
#include "family.h"
#include "math/math.h"
#include "network.h"
#include "network/network.h"

namespace pollen {

namespace {

double noise_sd(const ModelSpec& spec, std::span<const double> theta) {
  return spec.noise_sd ? *spec.noise_sd : math::exp(theta.back());
}

// Returns the part of -log p(y | z) that losses() leaves out.
double constant(const ModelSpec& spec, double y, double log_sd) {
  if (spec.kind == ModelKind::linear) return log_sd + 0.5 * std::log(2.0 * std::numbers::pi);
  if (spec.kind != ModelKind::poisson) return 0.0;
  int sign = 0;
  return lgamma_r(y + 1.0, &sign);
}

ConstPanelView coefficients(const ModelSpec& spec, std::span<const double> theta) {
  const Index classes = spec.kind == ModelKind::softmax ? spec.classes : 1;
  return {theta.data(), spec.features, classes, spec.features};
}

// Turns a classifier's linear predictors into class probabilities, one column per class. Softmax works in place.
// Logistic has one predictor, and P(0) is computed from -z so that small probabilities keep their digits.
PanelView probabilities(const PanelView& z, Scratch& scratch) {
  if (z.columns > 1) {
    model::softmax(z, z.columns, scratch);
    return z;
  }
  const PanelView both = scratch.panel(z.rows, 2);
  for (Index r = 0; r < z.rows; ++r) both.data[r] = -z.data[r];
  math::sigmoid(both.column(0), both.column(0));
  math::sigmoid(z.column(0), both.column(1));
  return both;
}

void network_log_likelihood(const ModelSpec& spec, std::span<const double> theta, const Observations& observations,
                            std::span<double> out, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const std::span<const float> outputs = model::network_outputs(spec.network, theta, observations.x, scratch);
  model::log_densities(spec.network.network->spec(), outputs, observations.y, out, scratch);
}

}  // namespace

void class_probabilities(const ModelSpec& spec, std::span<const double> theta, const RowsView& x, std::span<double> out,
                         Scratch& scratch) {
  if (spec.kind == ModelKind::network)
    return model::network_probabilities(spec.network, theta, {*spec.network.hold(x, nullptr), 0, x.rows}, out, scratch);
  const ConstPanelView beta = coefficients(spec, theta);
  const auto store = [&, at = out.data()](const PanelView& z, const double*, Index) mutable {
    Scratch::Frame frame(scratch);
    const PanelView p = probabilities(z, scratch);
    for (Index r = 0; r < p.rows; ++r)
      for (Index k = 0; k < p.columns; ++k) *at++ = p.data[k * p.stride + r];
  };
  const Observations unlabelled{x, nullptr};
  model::sweep(model::Rows(unlabelled), beta, {}, {1, beta.columns, 0}, scratch, store);
}

void response(const ModelSpec& spec, std::span<const double> theta, const RowsView& x, std::span<double> mean,
              std::span<double> sd, Scratch& scratch) {
  if (spec.kind == ModelKind::network) {
    Scratch::Frame frame(scratch);
    std::ranges::copy(model::network_outputs(spec.network, theta, x, scratch), mean.begin());
    std::ranges::fill(sd, spec.network.network->spec().noise_sd);
    return;
  }
  math::multiply(x, coefficients(spec, theta), PanelView{mean.data(), x.rows, 1, x.rows});
  if (spec.kind == ModelKind::linear) {
    std::ranges::fill(sd, noise_sd(spec, theta));
    return;
  }
  math::exp(mean, mean);
  for (std::size_t r = 0; r < sd.size(); ++r) sd[r] = std::sqrt(mean[r]);
}

void log_likelihood(const ModelSpec& spec, std::span<const double> theta, const Observations& observations,
                    std::span<double> out, Scratch& scratch) {
  if (spec.kind == ModelKind::network) return network_log_likelihood(spec, theta, observations, out, scratch);
  const bool linear = spec.kind == ModelKind::linear;
  const double log_sd = linear ? std::log(noise_sd(spec, theta)) : 0.0;
  const auto family = linear ? model::make_linear(noise_sd(spec, theta)) : model::make_family(spec);
  const ConstPanelView beta = coefficients(spec, theta);
  const auto store = [&, at = out.data()](const PanelView& z, const double* y, Index) mutable {
    const PanelView losses{at, z.rows, 1, z.rows};
    family->losses(z, y, losses, scratch);
    for (Index r = 0; r < z.rows; ++r) at[r] = -at[r] - constant(spec, y[r], log_sd);
    at += z.rows;
  };
  model::sweep(model::Rows(observations), beta, {}, {1, beta.columns, 0}, scratch, store);
}

}  // namespace pollen
