// Decompositions by what defines them, on matrices that are regular, singular, tall, wide and badly scaled.
#include "math/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/eigenvalues.h"

namespace pollen::math {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Numbers without structure, the same in every run.
MatrixXd numbers(Eigen::Index rows, Eigen::Index columns, double seed) {
  return MatrixXd::NullaryExpr(rows, columns, [&](Eigen::Index i, Eigen::Index j) {
    const double x = 43758.5453 * std::sin(seed + 12.9898 * static_cast<double>(i) + 78.233 * static_cast<double>(j));
    return x - std::floor(x) - 0.5;
  });
}

void expect_equal(const MatrixXd& a, const MatrixXd& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance) << a << "\nand\n" << b;
}

MatrixXd identity(Eigen::Index n) { return MatrixXd::Identity(n, n); }

TEST(LinearAlgebra, EigenpairsGiveTheMatrixBack) {
  const MatrixXd half = numbers(7, 7, 1), matrix = half + half.transpose();
  const Eigenpairs pairs = symmetric_eigen(matrix);
  expect_equal(pairs.vectors * pairs.values.asDiagonal() * pairs.vectors.transpose(), matrix, 1e-13);
  expect_equal(pairs.vectors.transpose() * pairs.vectors, identity(7), 1e-14);
  expect_equal(symmetric_eigenvalues(matrix), pairs.values, 1e-13);
  const std::vector<double> plain = symmetric_eigenvalues(ConstPanelView{matrix.data(), 7, 7, 7});
  for (Eigen::Index i = 0; i < 7; ++i) EXPECT_NEAR(plain[static_cast<std::size_t>(i)], pairs.values(i), 1e-13);
  for (std::size_t i = 1; i < plain.size(); ++i) EXPECT_LE(plain[i - 1], plain[i]);
}

TEST(LinearAlgebra, ABasisHasTheRankAndTheSpace) {
  MatrixXd columns(6, 5);
  columns << numbers(6, 3, 2), numbers(6, 3, 2) * numbers(3, 2, 3);  // two of the five depend on the others
  const MatrixXd basis = orthonormal_basis(columns);
  ASSERT_EQ(basis.cols(), 3);
  expect_equal(basis.transpose() * basis, identity(3), 1e-14);
  expect_equal(basis * (basis.transpose() * columns), columns, 1e-13);
  EXPECT_EQ(orthonormal_basis(MatrixXd::Zero(4, 2)).cols(), 0);
  EXPECT_EQ(orthonormal_basis(numbers(2, 5, 4)).cols(), 2);
}

TEST(LinearAlgebra, ABasisOfNearlyEqualColumnsIsOrthonormal) {
  MatrixXd columns = numbers(8, 1, 5) * MatrixXd::Ones(1, 3);
  columns.rightCols(2) += 1e-12 * numbers(8, 2, 6);
  const MatrixXd basis = orthonormal_basis(columns);
  ASSERT_EQ(basis.cols(), 3);
  expect_equal(basis.transpose() * basis, identity(3), 1e-14);
}

// The rotation Q nearest to M has orthonormal columns, and Qᵀ M is symmetric and has no negative eigenvalue.
TEST(LinearAlgebra, TheNearestRotationIsOne) {
  const MatrixXd u = orthonormal_basis(numbers(7, 5, 7)), v = orthonormal_basis(numbers(5, 5, 8));
  for (const VectorXd& singular :
       {VectorXd{{5, 4, 3, 2, 1}}, VectorXd{{1, 1, 1, 1, 1}}, VectorXd{{1, 1e-5, 1e-9, 1e-13, 0}},
        VectorXd{{1, 1, 0, 0, 0}}, VectorXd{{0, 0, 0, 0, 0}}, VectorXd{{1e-150, 1e-155, 0, 0, 0}}}) {
    const MatrixXd matrix = u * singular.asDiagonal() * v.transpose();
    const MatrixXd rotation = nearest_rotation(matrix);
    ASSERT_EQ(rotation.rows(), 7);
    expect_equal(rotation.transpose() * rotation, identity(5), 1e-13);
    const MatrixXd stretch = rotation.transpose() * matrix;
    expect_equal(stretch, stretch.transpose(), 1e-14 * singular(0));
    EXPECT_GE(symmetric_eigenvalues(stretch).minCoeff(), -1e-14 * singular(0));
    EXPECT_NEAR(stretch.trace(), singular.sum(), 1e-14 * singular.sum());
  }
  const MatrixXd matrix = u * VectorXd{{5, 4, 3, 2, 1}}.asDiagonal() * v.transpose();
  expect_equal(nearest_rotation(matrix), u * v.transpose(), 1e-13);
  expect_equal(nearest_rotation(matrix.transpose()), v * u.transpose(), 1e-13);
}

TEST(LinearAlgebra, ASystemIsSolved) {
  const MatrixXd matrix = numbers(9, 9, 9) + 3 * identity(9), right = numbers(9, 2, 10);
  const LinearSystem system(matrix);
  expect_equal(matrix * system.solve(right), right, 1e-13);
  expect_equal(matrix * system.inverse(), identity(9), 1e-13);
  const VectorXd diagonal{{1, -2, 3}};
  EXPECT_NEAR(LinearSystem(diagonal.asDiagonal()).log_determinant(), std::log(6), 1e-15);
}

}  // namespace
}  // namespace pollen::math
