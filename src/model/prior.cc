#include <algorithm>
#include <utility>

#include "math/math.h"
#include "pollen/model.h"

namespace pollen {

Prior Prior::normal(std::vector<double> sd) {
  for (double& s : sd) s = 1.0 / (s * s);
  return {std::move(sd)};
}

double Prior::value(std::span<const double> theta) const {
  double sum = 0.0;
  if (matrix.empty()) {
    for (std::size_t j = 0; j < precision.size(); ++j) sum += precision[j] * theta[j] * theta[j];
    return 0.5 * sum;
  }
  const std::size_t d = theta.size();
  for (std::size_t j = 0; j < d; ++j) sum += theta[j] * math::dot({matrix.data() + j * d, d}, theta);
  return 0.5 * sum + math::dot(linear, theta) + constant;
}

void Prior::add_gradient(std::span<const double> theta, double weight, std::span<double> g) const {
  add_curvature(theta, weight, g);
  for (std::size_t j = 0; j < linear.size(); ++j) g[j] += weight * linear[j];
}

void Prior::add_curvature(std::span<const double> v, double weight, std::span<double> product) const {
  if (matrix.empty()) {
    for (std::size_t j = 0; j < precision.size(); ++j) product[j] += weight * (precision[j] * v[j]);
    return;
  }
  const std::size_t d = v.size();
  for (std::size_t j = 0; j < d; ++j) product[j] += weight * math::dot({matrix.data() + j * d, d}, v);
}

double Prior::least_curvature() const {
  return is_flat() || !matrix.empty() ? 0 : *std::ranges::min_element(precision);
}

}  // namespace pollen
