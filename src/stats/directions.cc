#include "stats/directions.h"

#include <cmath>

#include "math/linear_algebra.h"
#include "pollen/stats.h"

namespace pollen::stats {

std::vector<Direction> principal_directions(const std::vector<std::vector<double>>& values, Index chains) {
  if (values.empty() || values.front().size() < 2) return {};
  const auto d = static_cast<Index>(values.size()), n = static_cast<Index>(values.front().size());
  Eigen::MatrixXd z(n, d);
  for (Index j = 0; j < d; ++j) {
    z.col(j) = Eigen::Map<const Eigen::VectorXd>(values[static_cast<std::size_t>(j)].data(), n);
    z.col(j).array() -= z.col(j).mean();
    const double sd = std::sqrt(z.col(j).squaredNorm() / static_cast<double>(n - 1));
    if (!(sd > 0) || !std::isfinite(sd)) return {};
    z.col(j) /= sd;
  }
  const Eigen::MatrixXd correlation = z.transpose() * z / static_cast<double>(n - 1);
  const math::Eigenpairs eigen = math::symmetric_eigen(correlation);
  std::vector<Direction> out;
  for (Index k = 0; k < d; ++k) {
    const Eigen::VectorXd along = z * eigen.vectors.col(k);
    const std::span<const double> draws(along.data(), static_cast<std::size_t>(n));
    out.push_back(
        {eigen.values[k], ess_bulk({draws, chains}), {eigen.vectors.col(k).data(), eigen.vectors.col(k).data() + d}});
  }
  return out;
}

}  // namespace pollen::stats
