// Rényi divergences between mixtures of unit Gaussians on the line by the trapezoidal rule, which is exact up to
// rounding for analytic integrands that vanish at both ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace pollen {

inline double mixture_density(const std::vector<double>& centres, double x) {
  double sum = 0;
  for (const double c : centres) sum += std::exp(-(x - c) * (x - c) / 2);
  return sum / (static_cast<double>(centres.size()) * std::sqrt(2 * std::numbers::pi));
}

// Returns D_α(P‖Q) of mixtures with equal weights. α is a whole number, so the mass of p^α q^{1-α} lies within α·spread
// of the centres.
inline double mixture_renyi(int order, const std::vector<double>& p, const std::vector<double>& q) {
  double reach = 0;
  for (const auto* centres : {&p, &q})
    for (const double c : *centres) reach = std::max(reach, std::abs(c));
  const double end = 12 + 2 * order * reach, h = 0.01;
  double sum = 0;
  for (double x = -end; x <= end; x += h) {
    const double below = mixture_density(q, x);
    if (below > 0) sum += std::pow(mixture_density(p, x) / below, order) * below * h;
  }
  return std::log(sum) / (order - 1);
}

}  // namespace pollen
