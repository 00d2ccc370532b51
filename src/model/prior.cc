#include <utility>

#include "pollen/model.h"

namespace pollen {

Prior Prior::normal(std::vector<double> sd) {
  for (double& s : sd) s = 1.0 / (s * s);
  return {std::move(sd)};
}

double Prior::value(std::span<const double> theta) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < precision.size(); ++j) sum += precision[j] * theta[j] * theta[j];
  return 0.5 * sum;
}

void Prior::add_gradient(std::span<const double> theta, double weight, std::span<double> g) const {
  for (std::size_t j = 0; j < precision.size(); ++j) g[j] += weight * (precision[j] * theta[j]);
}

}  // namespace pollen
