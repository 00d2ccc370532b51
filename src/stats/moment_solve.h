// Solves X - K(X) = R for symmetric X, where K is the linear part of what a whole cycle does to covariances (without
// noise and shifts). Small problems are solved as a linear system in the n(n+1)/2 entries of X, larger ones by BiCGSTAB
// on the map itself. The cycle must outlive the solver.
#pragma once

#include <optional>

#include "math/linear_algebra.h"
#include "moment_map.h"

namespace pollen::stats {

class CycleSolver {
 public:
  static constexpr Eigen::Index kDirect = 40;  // the largest n that is solved as a linear system
  explicit CycleSolver(const Cycle& cycle, Eigen::Index direct = kDirect);
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;  // NaN if no solution is found

 private:
  Eigen::MatrixXd iterate(const Eigen::MatrixXd& right) const;

  const Cycle& cycle_;
  std::optional<math::LinearSystem> system_;
};

}  // namespace pollen::stats
