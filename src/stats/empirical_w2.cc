// The Wasserstein distance of two samples: chooses the method and does what all methods share.
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pollen/scores.h"
#include "transport_cost.h"

namespace pollen::stats {
namespace {

constexpr Index kExact = 512, kSinkhorn = 2000;

Points points(ConstPanelView view) {
  return Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(view.data, view.rows, view.columns,
                                                                    Eigen::OuterStride<>(view.stride));
}

// Subtracts and returns the mean. W2² is exactly the squared distance of the means plus W2² of the centred samples.
Eigen::VectorXd take_mean(Points& x) {
  const Eigen::VectorXd mean = x.rowwise().mean();
  x.colwise() -= mean;
  return mean;
}

}  // namespace

EmpiricalW2 empirical_w2(ConstPanelView a, ConstPanelView b) {
  if (a.rows != b.rows) throw std::invalid_argument("empirical_w2: different dimensions");
  if (a.columns < 1 || b.columns < 1) throw std::invalid_argument("empirical_w2: an empty sample");
  Points x = points(a), y = points(b);
  if (!x.allFinite() || !y.allFinite()) return {std::numeric_limits<double>::quiet_NaN(), "none"};
  const double shift = (take_mean(x) - take_mean(y)).squaredNorm();
  const auto result = [&](double cost, const char* method) {
    return EmpiricalW2{std::sqrt(shift + std::max(cost, 0.0)), method};
  };
  if (a.rows == 1) return result(sliced_cost(x, y), "exact");
  if (a.columns == b.columns && a.columns <= kExact) return result(assignment_cost(squared_distances(x, y)), "exact");
  if (a.columns <= kSinkhorn && b.columns <= kSinkhorn) return result(sinkhorn_divergence(x, y), "sinkhorn");
  return result(sliced_cost(x, y), "sliced");
}

}  // namespace pollen::stats
