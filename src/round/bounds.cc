// Computes a client's own curvature constants, λ_max and, if asked for, λ_min of its bound or Hessian. λ_max alone is
// found by power iteration, which approaches it from below. Both together are exact up to a few hundred coordinates;
// beyond that, power iteration approaches λ_max from below and λ_min from above.
#include <algorithm>
#include <cmath>
#include <limits>

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

// The curvature along each coordinate sets the distance at which gradients are compared: a ten-thousandth of the
// standard deviation that this curvature stands for, so that the result does not depend on the columns' units.
// Gradients are computed for several coordinates at a time.
void Client::hessian(std::span<const double> at, PanelView out, Workspace& work) const {
  constexpr Index kTogetherMost = 16;  // coordinates
  static constexpr double kMostSingle = std::numeric_limits<float>::max();
  const Index d = dimension_;
  const bool diagonal = out.rows == d && d > 1;
  const auto single = [](double x) { return static_cast<float>(std::clamp(x, -kMostSingle, kMostSingle)); };
  if (diagonal && potential_->hessian_diagonal(at, out.column(0), work.scratch)) {
    for (double& x : out.column(0)) x = single(x);
    return;
  }
  Scratch::Frame frame(work.scratch);
  const PanelView unit = work.scratch.panel(d, 1), bend = work.scratch.panel(d, 1);
  const PanelView ends = work.scratch.panel(d, 2 * kTogetherMost), slopes = work.scratch.panel(d, 2 * kTogetherMost);
  fill(unit, 0.0);
  double* next = out.column(0).data();
  for (Index first = 0; first < d; first += kTogetherMost) {
    const Index count = std::min(kTogetherMost, d - first);
    for (Index n = 0; n < 2 * count; ++n) {
      const auto j = static_cast<std::size_t>(first + n / 2);
      double& step = unit.column(0)[j];
      if (n % 2 == 0) {
        step = 1;
        potential_->curvature(at, unit.column(0), bend.column(0), work.scratch);
        const double along = bend.column(0)[j];
        step = along > 0 && std::isfinite(along) ? 1e-4 / std::sqrt(along) : 1e-5 * (1 + std::abs(at[j]));
      }
      std::ranges::copy(at, ends.column(n).begin());
      ends.column(n)[j] += n % 2 == 0 ? step : -step;
      if (n % 2 == 1) step = 0;
    }
    potential_->gradient({ends.data, d, 2 * count, ends.stride}, {slopes.data, d, 2 * count, slopes.stride},
                         work.scratch);
    for (Index n = 0; n < count; ++n) {
      const auto j = static_cast<std::size_t>(first + n);
      const double apart = ends.column(2 * n)[j] - ends.column(2 * n + 1)[j];
      for (std::size_t i = j; i < (diagonal ? j + 1 : static_cast<std::size_t>(d)); ++i) {
        const double change = (slopes.column(2 * n)[i] - slopes.column(2 * n + 1)[i]) / apart;
        *next++ = single(change);
      }
    }
  }
  if (diagonal || potential_->min_cell() == 0) return;
  potential_->hide_small_pairs(out.column(0));
  for (double& x : out.column(0)) x = single(x);
}

}  // namespace pollen
