// x_{k+1} ≤ M x_k + c in every coordinate, M and c non-negative: then x_k ≤ M^k (x_0 - x) + x with x = (I - M)^{-1} c,
// wherever M's spectral radius is below one. The proofs of fald.txt end in such systems; solving them exactly replaces
// the closed forms of its Lemmas 10 to 12.
#pragma once

#include <Eigen/Dense>

namespace pollen::plan {

struct Recursion {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd constant;
  Eigen::VectorXd start;

  double rate() const;                    // the spectral radius
  double limit() const;                   // of coordinate 0; infinite where the rate is not below 1
  double after(double iterations) const;  // coordinate 0
};

}  // namespace pollen::plan
