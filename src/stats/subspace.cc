// Distances of estimates of Φ and of the clients' z from the truth, when the data determine only Φz_i.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/linear_algebra.h"
#include "pollen/scores.h"
#include "ranks.h"

namespace pollen::stats {
namespace {

using Columns = Eigen::Map<const Eigen::MatrixXd>;

Columns columns_of(std::span<const double> values, Index rows, Index columns, const char* what) {
  if (rows < 1 || columns < 0 || static_cast<Index>(values.size()) != rows * columns)
    throw std::invalid_argument(
        fmt::format("{}: found {} numbers, accepted: {} rows times {} columns", what, values.size(), rows, columns));
  return {values.data(), rows, columns};
}

// Returns the root of the mean over columns of the squared norm.
double rms(const Eigen::MatrixXd& difference) {
  if (difference.cols() == 0) return kNaN;
  return difference.norm() / std::sqrt(static_cast<double>(difference.cols()));
}

}  // namespace

double principal_angle_distance(std::span<const double> a, std::span<const double> b, Index rows, Index columns) {
  const Columns left = columns_of(a, rows, columns, "principal_angle_distance");
  const Columns right = columns_of(b, rows, columns, "principal_angle_distance");
  if (columns == 0 || !left.allFinite() || !right.allFinite()) return kNaN;
  const Eigen::MatrixXd of_a = math::orthonormal_basis(left), of_b = math::orthonormal_basis(right);
  if (of_b.cols() == 0) return 0.0;
  if (of_a.cols() == 0) return 1.0;
  const Eigen::MatrixXd outside = of_b - of_a * (of_a.transpose() * of_b);
  const Eigen::VectorXd squares = math::symmetric_eigenvalues(outside.transpose() * outside);
  // This is the largest singular value of `outside`.
  return std::sqrt(std::clamp(squares(squares.size() - 1), 0.0, 1.0));
}

double aligned_error(std::span<const double> effects, std::span<const double> phi, std::span<const double> z, Index k,
                     Index d, Index clients) {
  const Columns found = columns_of(effects, k, clients, "aligned_error");
  const Columns truth = columns_of(z, d, clients, "aligned_error");
  return rms(found - columns_of(phi, k, d, "aligned_error") * truth);
}

// Aligns the latents with W = U Vᵀ, where Z Eᵀ = U S Vᵀ: it maximises tr(Zᵀ W E). It keeps the norm of an E of rank d,
// so ‖W E - Z‖ is the least among rotations. A W that loses part of E could come closer.
double aligned_latent_distance(std::span<const double> effects, std::span<const double> z, Index k, Index d,
                               Index clients) {
  const Columns found = columns_of(effects, k, clients, "aligned_latent_distance");
  const Columns truth = columns_of(z, d, clients, "aligned_latent_distance");
  const Eigen::MatrixXd product = truth * found.transpose();
  if (!product.allFinite()) return kNaN;
  return rms(math::nearest_rotation(product) * found - truth);
}

}  // namespace pollen::stats
