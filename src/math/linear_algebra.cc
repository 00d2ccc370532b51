#include "math/linear_algebra.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/eigenvalues.h"

namespace pollen::math {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Returns the part of x that is orthogonal to these orthonormal columns.
VectorXd outside(const Eigen::Ref<const MatrixXd>& columns, VectorXd x) {
  for (int twice = 0; twice < 2; ++twice) x -= columns * (columns.transpose() * x);
  return x;
}

// Scales orthogonal columns to length one, and replaces columns that are only rounding error by others, so that all are
// orthonormal.
MatrixXd with_unit_columns(const MatrixXd& orthogonal) {
  const VectorXd lengths = orthogonal.colwise().norm().transpose();
  const double rows = static_cast<double>(orthogonal.rows()), noise = kEpsilon * rows * lengths.maxCoeff();
  MatrixXd result(orthogonal.rows(), orthogonal.cols()), done(orthogonal.rows(), orthogonal.cols());
  Index count = 0, axis = 0;
  const auto place = [&](Index column, const VectorXd& x) { result.col(column) = done.col(count++) = x; };
  for (Index j = 0; j < lengths.size(); ++j)
    if (lengths(j) > noise) place(j, orthogonal.col(j) / lengths(j));
  for (Index j = 0; j < lengths.size(); ++j) {
    if (lengths(j) > noise) continue;
    VectorXd x;  // from the next axis that points well away from all columns so far; there always is one
    do x = outside(done.leftCols(count), VectorXd::Unit(orthogonal.rows(), axis++));
    while (x.squaredNorm() < 0.5 / rows && axis < orthogonal.rows());
    place(j, x.normalized());
  }
  return result;
}

}  // namespace

Eigenpairs symmetric_eigen(const MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(matrix);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

std::vector<double> symmetric_eigenvalues(ConstPanelView matrix) {
  const Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>> view(matrix.data, matrix.rows, matrix.columns,
                                                                 Eigen::OuterStride<>(matrix.stride));
  const VectorXd values = symmetric_eigenvalues(MatrixXd(view));
  return {values.begin(), values.end()};
}

// Gram-Schmidt, the longest remaining column first, and every column twice, so that rounding leaves no angles.
MatrixXd orthonormal_basis(const MatrixXd& matrix) {
  MatrixXd rest = matrix, basis(matrix.rows(), std::min(matrix.rows(), matrix.cols()));
  double noise = 0;  // what rounding leaves of a column that depends on others
  Index rank = 0;
  for (; rank < basis.cols(); ++rank) {
    Index longest = 0;
    const double length = rest.colwise().norm().maxCoeff(&longest);
    if (rank == 0) noise = kEpsilon * static_cast<double>(basis.cols()) * length;
    if (!(length > noise)) break;
    const VectorXd next = outside(basis.leftCols(rank), rest.col(longest) / length).normalized();
    basis.col(rank) = next;
    rest -= next * (rest.transpose() * next).transpose();
  }
  return basis.leftCols(rank);
}

// One-sided Jacobi (Hestenes 1958): turns pairs of columns of M V until all are orthogonal; they are then U S. It
// starts from the eigenvectors of Mᵀ M, which are right but for the small singular values, and so needs few turns.
MatrixXd nearest_rotation(const MatrixXd& matrix) {
  if (matrix.rows() < matrix.cols()) return nearest_rotation(matrix.transpose()).transpose();
  const double size = matrix.cwiseAbs().maxCoeff();
  const MatrixXd scaled = matrix / (size > 0 ? size : 1.0);  // so that squares are neither too large nor too small
  MatrixXd v = symmetric_eigen(scaled.transpose() * scaled).vectors, us = scaled * v;
  const double close = kEpsilon * static_cast<double>(matrix.rows());
  bool turned = true;
  for (int sweep = 0; turned && sweep < 50; ++sweep) {
    turned = false;
    for (Index j = 1; j < us.cols(); ++j) {
      for (Index i = 0; i < j; ++i) {
        const double a = us.col(i).squaredNorm(), b = us.col(j).squaredNorm(), c = us.col(i).dot(us.col(j));
        if (!(std::abs(c) > close * std::sqrt(a) * std::sqrt(b))) continue;
        Eigen::JacobiRotation<double> turn;
        turn.makeJacobi(a, c, b);
        us.applyOnTheRight(i, j, turn);
        v.applyOnTheRight(i, j, turn);
        turned = true;
      }
    }
  }
  return with_unit_columns(us) * v.transpose();
}

struct LinearSystem::Factors : Eigen::PartialPivLU<MatrixXd> {
  using PartialPivLU::PartialPivLU;
};

LinearSystem::LinearSystem(const MatrixXd& matrix) : factors_(std::make_shared<const Factors>(matrix)) {}

MatrixXd LinearSystem::solve(const MatrixXd& right) const { return factors_->solve(right); }

MatrixXd LinearSystem::inverse() const { return solve(MatrixXd::Identity(factors_->rows(), factors_->cols())); }

double LinearSystem::log_determinant() const { return factors_->matrixLU().diagonal().array().abs().log().sum(); }

}  // namespace pollen::math
