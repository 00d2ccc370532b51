// Moments of draws, and the Wasserstein distance of Gaussians.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "math/linear_algebra.h"
#include "pollen/scores.h"

namespace pollen::stats {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Panels = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

Eigen::MatrixXd square_root(const Moments& moments) {
  const auto d = static_cast<Index>(moments.mean.size());
  if (static_cast<Index>(moments.covariance.size()) != d * d)
    throw std::invalid_argument(fmt::format("moments: found a covariance of {} numbers for {} dimensions, accepted: {}",
                                            moments.covariance.size(), d, d * d));
  const Eigen::MatrixXd covariance = Eigen::Map<const RowMajor>(moments.covariance.data(), d, d);
  const math::Eigenpairs eigen = math::symmetric_eigen(covariance);
  const Eigen::VectorXd roots = eigen.values.cwiseMax(0).cwiseSqrt();
  return eigen.vectors * roots.asDiagonal() * eigen.vectors.transpose();
}

}  // namespace

Moments moments(ConstPanelView draws) {
  const Panels x(draws.data, draws.rows, draws.columns, Eigen::OuterStride<>(draws.stride));
  const auto d = static_cast<std::size_t>(draws.rows);
  Moments result{std::vector<double>(d, std::numeric_limits<double>::quiet_NaN()),
                 std::vector<double>(d * d, std::numeric_limits<double>::quiet_NaN())};
  if (draws.columns < 1) return result;
  const Eigen::VectorXd mean = x.rowwise().mean();
  Eigen::Map<Eigen::VectorXd>(result.mean.data(), draws.rows) = mean;
  if (draws.columns < 2) return result;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(draws.rows, draws.rows);
  constexpr Index kBlock = 4096;  // columns per block, so that centred copies stay small
  for (Index first = 0; first < draws.columns; first += kBlock) {
    const Index count = std::min(kBlock, draws.columns - first);
    const Eigen::MatrixXd centred = x.middleCols(first, count).colwise() - mean;
    sum.noalias() += centred * centred.transpose();
  }
  sum = (0.5 * (sum + sum.transpose()) / static_cast<double>(draws.columns - 1)).eval();
  Eigen::Map<RowMajor>(result.covariance.data(), draws.rows, draws.rows) = sum;
  return result;
}

// Computes W2² = ‖m_a - m_b‖² + min over orthogonal Q of ‖A^½ - B^½ Q‖². The second term is Bures' trace formula in a
// form without cancellation: nearly equal covariances keep their digits, and singular ones need no special case.
double gaussian_w2(const Moments& a, const Moments& b) {
  if (a.mean.size() != b.mean.size())
    throw std::invalid_argument(
        fmt::format("gaussian_w2: found moments of {} and {} dimensions, accepted: the same dimension", a.mean.size(),
                    b.mean.size()));
  const auto d = static_cast<Index>(a.mean.size());
  const Eigen::MatrixXd root_a = square_root(a), root_b = square_root(b);
  const Eigen::MatrixXd product = root_b * root_a;
  if (!product.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::MatrixXd rotation = math::nearest_rotation(product);
  const Eigen::VectorXd shift =
      Eigen::Map<const Eigen::VectorXd>(a.mean.data(), d) - Eigen::Map<const Eigen::VectorXd>(b.mean.data(), d);
  return std::hypot(shift.norm(), (root_a - root_b * rotation).norm());
}

}  // namespace pollen::stats
