#include <algorithm>
#include <cmath>
#include <utility>

#include "math/eigenvalues.h"
#include "math/math.h"
#include "pollen/model.h"

namespace pollen {

namespace {

// The least eigenvalue of diag(p) + c wwᵀ over the coordinates of a sum, of which the first has p = 0: the root of
// 1 + c Σ w_j²/(p_j - λ), which grows from -∞ at 0, below the other p_j.
double least_of(const Prior::SumTerm& term, const std::vector<double>& precision) {
  const std::span<const double> p(precision.data() + term.first, term.weight.size());
  double low = 0, high = term.precision * term.weight.front() * term.weight.front();
  for (const double one : p.subspan(1)) high = std::min(high, one);
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = 0.5 * (low + high);
    double f = 1;
    for (std::size_t j = 0; j < p.size(); ++j) f += term.precision * term.weight[j] * term.weight[j] / (p[j] - middle);
    (f < 0 ? low : high) = middle;
  }
  return low;
}

double sum_of(const Prior::SumTerm& term, std::span<const double> theta) {
  return math::dot(term.weight, theta.subspan(static_cast<std::size_t>(term.first), term.weight.size()));
}

}  // namespace

Prior Prior::normal(std::vector<double> sd) {
  for (double& s : sd) s = 1.0 / (s * s);
  return {std::move(sd)};
}

double Prior::value(std::span<const double> theta) const {
  double sum = 0.0;
  if (!matrix.empty()) {
    const std::size_t d = theta.size();
    for (std::size_t j = 0; j < d; ++j) sum += theta[j] * math::dot({matrix.data() + j * d, d}, theta);
    return 0.5 * sum + math::dot(linear, theta) + constant;
  }
  for (std::size_t j = 0; j < precision.size(); ++j) {
    const double from = theta[j] - (mean.empty() ? 0.0 : mean[j]);
    sum += precision[j] * from * from;
  }
  for (const SumTerm& term : sums) {
    const double from = sum_of(term, theta) - term.mean;
    sum += term.precision * from * from;
  }
  return 0.5 * sum;
}

void Prior::add_gradient(std::span<const double> theta, double weight, std::span<double> g) const {
  add_curvature(theta, weight, g);
  for (std::size_t j = 0; j < linear.size(); ++j) g[j] += weight * linear[j];
  for (std::size_t j = 0; j < mean.size(); ++j) g[j] -= weight * (precision[j] * mean[j]);
  for (const SumTerm& term : sums)
    math::axpy(-weight * term.precision * term.mean, term.weight,
               g.subspan(static_cast<std::size_t>(term.first), term.weight.size()));
}

void Prior::add_curvature(std::span<const double> v, double weight, std::span<double> product) const {
  if (matrix.empty()) {
    for (std::size_t j = 0; j < precision.size(); ++j) product[j] += weight * (precision[j] * v[j]);
    for (const SumTerm& term : sums)
      math::axpy(weight * term.precision * sum_of(term, v), term.weight,
                 product.subspan(static_cast<std::size_t>(term.first), term.weight.size()));
    return;
  }
  const std::size_t d = v.size();
  for (std::size_t j = 0; j < d; ++j) product[j] += weight * math::dot({matrix.data() + j * d, d}, v);
}

void Prior::add_diagonal(std::span<double> diagonal) const {
  for (std::size_t j = 0; j < precision.size(); ++j) diagonal[j] += precision[j];
  for (const SumTerm& term : sums)
    for (std::size_t j = 0; j < term.weight.size(); ++j)
      diagonal[static_cast<std::size_t>(term.first) + j] += term.precision * term.weight[j] * term.weight[j];
}

double Prior::least_curvature() const {
  constexpr Index kMost = 256;  // the largest dimension for which eigenvalues are computed
  if (is_flat()) return 0;
  const auto d = std::ssize(precision);
  if (matrix.empty()) {
    std::vector<double> least = precision;
    for (const SumTerm& term : sums) {
      const auto from = least.begin() + term.first;
      std::fill(from, from + std::ssize(term.weight), least_of(term, precision));
    }
    return *std::ranges::min_element(least);
  }
  if (d > kMost) return 0;
  Panel whole(d, d);
  std::vector<double> unit(precision.size());
  for (std::size_t j = 0; j < unit.size(); ++j) {
    unit[j] = 1;
    add_curvature(unit, 1.0, whole.column(static_cast<Index>(j)));
    unit[j] = 0;
  }
  return std::max(0.0, math::symmetric_eigenvalues(whole).front());
}

// A sum's own coordinate is its first one, of which no other term speaks.
std::vector<double> Prior::centre(Index dimension) const {
  std::vector<double> at(static_cast<std::size_t>(dimension));
  if (is_flat() || !matrix.empty()) return at;
  if (!mean.empty()) at = mean;
  for (const SumTerm& term : sums) {
    double& first = at[static_cast<std::size_t>(term.first)];
    first += (term.mean - sum_of(term, at)) / term.weight.front();
  }
  return at;
}

void Prior::draw(std::span<double> normal) const {
  for (std::size_t j = 0; j < precision.size(); ++j)
    if (precision[j] > 0) normal[j] = normal[j] / std::sqrt(precision[j]) + (mean.empty() ? 0.0 : mean[j]);
  for (const SumTerm& term : sums) {
    double& first = normal[static_cast<std::size_t>(term.first)];
    const double sum = term.mean + first / std::sqrt(term.precision);
    first = 0;
    first = (sum - sum_of(term, normal)) / term.weight.front();
  }
}

}  // namespace pollen
