// Solves X - K(X) = R for symmetric X, where K is what a whole cycle does to covariances, noise and shifts left out:
// a linear system over the n(n+1)/2 entries of X where n is small, BiCGSTAB on the map itself beyond.
#pragma once

#include <optional>

#include "math/linear_algebra.h"
#include "moment_map.h"

namespace pollen::stats {

class CycleSolver {
 public:
  static constexpr Eigen::Index kDirect = 40;  // the largest n for the linear system
  explicit CycleSolver(const Cycle& cycle, Eigen::Index direct = kDirect);
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;  // NaN where it finds none

 private:
  Eigen::MatrixXd iterate(const Eigen::MatrixXd& right) const;

  const Cycle& cycle_;
  std::optional<math::LinearSystem> system_;
};

}  // namespace pollen::stats
