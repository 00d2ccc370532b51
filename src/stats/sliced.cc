#include <algorithm>
#include <cstdint>
#include <vector>

#include "normal_quantile.h"
#include "transport_cost.h"

namespace pollen::stats {
namespace {

constexpr int kDirections = 64;

// Draws normal numbers with SplitMix64 (Steele, Lea and Flood 2014). Every call of sliced_cost uses the same numbers,
// because a score must not depend on a seed.
double next_normal(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return normal_quantile((static_cast<double>(z >> 11) + 0.5) * 0x1p-53);
}

Eigen::VectorXd sorted_projection(const Points& points, const Eigen::VectorXd& direction) {
  Eigen::VectorXd x = points.transpose() * direction;
  std::sort(x.data(), x.data() + x.size());
  return x;
}

// Returns ∫ (F⁻¹ - G⁻¹)² over the steps of both quantile functions. Steps end at i/n and j/m, which are compared as
// integers.
double sorted_cost(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const Eigen::Index n = x.size(), m = y.size();
  double sum = 0;
  for (Eigen::Index i = 0, j = 0, at = 0; i < n && j < m;) {
    const Eigen::Index until = std::min((i + 1) * m, (j + 1) * n);
    sum += static_cast<double>(until - at) * (x(i) - y(j)) * (x(i) - y(j));
    at = until;
    if ((i + 1) * m == until) ++i;
    if (at == (j + 1) * n) ++j;
  }
  return sum / (static_cast<double>(n) * static_cast<double>(m));
}

}  // namespace

double sliced_cost(const Points& a, const Points& b) {
  if (a.rows() == 1)
    return sorted_cost(sorted_projection(a, Eigen::VectorXd::Ones(1)), sorted_projection(b, Eigen::VectorXd::Ones(1)));
  std::uint64_t state = 1;
  Eigen::VectorXd direction(a.rows());
  double sum = 0;
  for (int k = 0; k < kDirections; ++k) {
    for (double& x : direction) x = next_normal(state);
    direction.normalize();
    sum += sorted_cost(sorted_projection(a, direction), sorted_projection(b, direction));
  }
  return static_cast<double>(a.rows()) * sum / kDirections;
}

}  // namespace pollen::stats
