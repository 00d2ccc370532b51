// Solves systems of inequalities x_{k+1} ≤ M x_k + c with non-negative M and c: if the spectral radius of M is below
// one, x_k ≤ M^k (x_0 - x) + x in every coordinate, with x = (I - M)^{-1} c. FALD's proofs end in such systems; solving
// them exactly replaces the closed forms of FALD's Lemmas 10 to 12.
#pragma once

#include <Eigen/Dense>

namespace pollen::plan {

struct Recursion {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd constant;
  Eigen::VectorXd start;

  double rate() const;                    // the spectral radius
  double limit() const;                   // coordinate 0 for k → ∞; infinite if the rate is not below 1
  double after(double iterations) const;  // coordinate 0 after that many iterations
};

}  // namespace pollen::plan
