// Decompositions of dense matrices of any size. A decomposition from Eigen takes seconds to compile, so each one that
// pollen needs is compiled once, behind a plain function, and this header includes nothing but Eigen's matrices. Pure.
#pragma once

#include <Eigen/Core>
#include <memory>

namespace pollen::math {

struct Eigenpairs {
  Eigen::VectorXd values;   // from the smallest to the largest
  Eigen::MatrixXd vectors;  // one orthonormal column per value
};

// These two read the lower triangle of a symmetric matrix.
Eigenpairs symmetric_eigen(const Eigen::MatrixXd& matrix);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& matrix);

// An orthonormal basis of the column space, which has as many columns as the matrix has rank.
Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& matrix);

// U Vᵀ, where U S Vᵀ is the singular value decomposition: the matrix with orthonormal rows or columns that is nearest.
Eigen::MatrixXd nearest_rotation(const Eigen::MatrixXd& matrix);

// A factorised square matrix A, by which A x = b is solved for many b.
class LinearSystem {
 public:
  explicit LinearSystem(const Eigen::MatrixXd& matrix);
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  Eigen::MatrixXd inverse() const;
  double log_determinant() const;  // log |det A|

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

}  // namespace pollen::math
