// Computes a client's own curvature constants, λ_max and, if asked for, λ_min of its bound or Hessian. λ_max alone is
// found by power iteration, which approaches it from below. Both together are exact up to a few hundred coordinates;
// beyond that, power iteration approaches λ_max from below and λ_min from above.
#include <cmath>

#include "math/eigenvalues.h"
#include "math/math.h"
#include "pollen/round.h"

namespace pollen {

namespace {

constexpr Index kExact = 256;
constexpr int kProducts = 300;       // the most products per constant if both are wanted
constexpr int kQuickProducts = 100;  // the most products for λ_max alone; it may settle earlier

}  // namespace

void Client::bounds(std::span<const double> at, PanelView out, Workspace& work) const {
  const Index d = dimension_;
  const auto apply = [&](std::span<const double> v, std::span<double> product) {
    potential_->curvature(at, v, product, work.scratch);
    parts_.prior->add_curvature(v, parts_.prior_share, product);
  };
  const auto column = out.column(out.columns == 1 ? 0 : static_cast<Index>(index_));
  const bool both = out.rows > 1;
  if (both && d <= kExact) {
    Panel matrix(d, d);
    std::vector<double> unit(static_cast<std::size_t>(d));
    for (std::size_t j = 0; j < unit.size(); ++j) {
      unit[j] = 1;
      apply(unit, matrix.column(static_cast<Index>(j)));
      unit[j] = 0;
    }
    const std::vector<double> values = math::symmetric_eigenvalues(matrix);
    column[0] = values.back();
    column[1] = std::max(0.0, values.front());
    return;
  }
  std::vector<double> v(static_cast<std::size_t>(d)), product(v.size());
  // Returns λ_max of B, or of shift·I - B if shift > 0.
  const auto largest = [&](double shift) {
    normals(make_stream(1, 0, Purpose::power), v);
    double norm = std::sqrt(math::squared_norm(v)), last = 0;
    for (int n = 0; n < (both ? kProducts : kQuickProducts) && norm > 0; ++n) {
      if (!both && std::abs(norm - last) <= 1e-4 * norm) break;
      last = norm;
      math::scale(1 / norm, v);
      apply(v, product);
      for (std::size_t j = 0; j < v.size() && shift > 0; ++j) product[j] = shift * v[j] - product[j];
      std::swap(v, product);
      norm = std::sqrt(math::squared_norm(v));
    }
    return norm;
  };
  column[0] = largest(0);
  if (both) column[1] = column[0] > 0 ? std::max(0.0, column[0] - largest(column[0])) : 0;
}

}  // namespace pollen
