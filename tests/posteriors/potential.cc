#include "potential.h"

#include <algorithm>
#include <cmath>

namespace pollen::reference {

namespace {

// Returns one row's -log p(y | x, θ) and adds its gradient to g.
double logistic(const Pooled& p, const Vector& x, double y, const Vector& theta, Vector& g) {
  double z = 0;
  for (std::size_t j = 0; j < p.features; ++j) z += x[j] * theta[j];
  const double probability = 1 / (1 + std::exp(-z));
  for (std::size_t j = 0; j < p.features; ++j) g[j] += (probability - y) * x[j];
  return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))) - y * z;
}

double linear(const Pooled& p, const Vector& x, double y, const Vector& theta, Vector& g) {
  const bool sampled = p.noise_sd == 0;
  const double log_sigma = sampled ? theta[p.features] : std::log(p.noise_sd);
  const double precision = std::exp(-2 * log_sigma);
  double residual = -y;
  for (std::size_t j = 0; j < p.features; ++j) residual += x[j] * theta[j];
  for (std::size_t j = 0; j < p.features; ++j) g[j] += residual * x[j] * precision;
  if (sampled) g[p.features] += 1 - residual * residual * precision;
  return 0.5 * residual * residual * precision + (sampled ? log_sigma : 0.0);
}

double poisson(const Pooled& p, const Vector& x, double y, const Vector& theta, Vector& g) {
  double z = 0;
  for (std::size_t j = 0; j < p.features; ++j) z += x[j] * theta[j];
  const double rate = std::exp(z);
  for (std::size_t j = 0; j < p.features; ++j) g[j] += (rate - y) * x[j];
  return rate - y * z;
}

double softmax(const Pooled& p, const Vector& x, double y, const Vector& theta, Vector& g) {
  Vector z(p.classes, 0.0);
  for (std::size_t c = 0; c < p.classes; ++c)
    for (std::size_t j = 0; j < p.features; ++j) z[c] += x[j] * theta[c * p.features + j];
  const double top = *std::max_element(z.begin(), z.end());
  double sum = 0;
  for (const double v : z) sum += std::exp(v - top);
  const auto truth = static_cast<std::size_t>(y);
  for (std::size_t c = 0; c < p.classes; ++c) {
    const double residual = std::exp(z[c] - top) / sum - (c == truth ? 1.0 : 0.0);
    for (std::size_t j = 0; j < p.features; ++j) g[c * p.features + j] += residual * x[j];
  }
  return top + std::log(sum) - z[truth];
}

}  // namespace

double Pooled::value_and_gradient(const Vector& theta, Vector& gradient) const {
  double value = 0;
  gradient.assign(dimension(), 0.0);
  for (std::size_t j = 0; j < dimension(); ++j) {
    value += 0.5 * theta[j] * theta[j] * prior_precision[j];
    gradient[j] = theta[j] * prior_precision[j];
  }
  for (std::size_t r = 0; r < x.size(); ++r) {
    if (kind == "logistic") value += logistic(*this, x[r], y[r], theta, gradient);
    if (kind == "linear") value += linear(*this, x[r], y[r], theta, gradient);
    if (kind == "poisson") value += poisson(*this, x[r], y[r], theta, gradient);
    if (kind == "softmax") value += softmax(*this, x[r], y[r], theta, gradient);
  }
  return value;
}

Pooled pooled(const Config& config, const Federation& data) {
  Pooled out;
  out.kind = config.model.kind;
  out.features = static_cast<std::size_t>(data.train.columns);
  out.classes = out.kind == "softmax" ? data.class_names.size() : 1;
  out.noise_sd = config.model.noise_sd.value_or(0.0);
  out.y.assign(data.train.y.begin(), data.train.y.end());
  for (Index r = 0; r < data.train.rows; ++r)
    out.x.emplace_back(data.train.view().row(r), data.train.view().row(r) + data.train.columns);
  const double sd = config.model.prior_sd.at(0);
  out.prior_precision.assign(out.features * out.classes, 1 / (sd * sd));
  if (out.kind == "linear" && !config.model.noise_sd)
    out.prior_precision.push_back(1 / (config.model.log_sigma_sd * config.model.log_sigma_sd));
  return out;
}

}  // namespace pollen::reference
