#include "moment_solve.h"

#include <algorithm>
#include <limits>
#include <map>

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Stacks the upper triangle of a symmetric matrix, column by column.
VectorXd half(const MatrixXd& x) {
  VectorXd result(x.rows() * (x.rows() + 1) / 2);
  for (Index j = 0, at = 0; j < x.cols(); ++j)
    for (Index i = 0; i <= j; ++i) result(at++) = x(i, j);
  return result;
}

MatrixXd whole(const VectorXd& x, Index n) {
  MatrixXd result(n, n);
  for (Index j = 0, at = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) result(i, j) = result(j, i) = x(at++);
  return result;
}

// Returns E[vec(A) vec(A)ᵀ], which determines E[A C Aᵀ] for every C.
MatrixXd gram(const MomentMap& map) {
  const Index n = map.size(), entries = n * n, block = 1024;
  const Index count = static_cast<Index>(map.deviations.size()) + 1;
  MatrixXd result = MatrixXd::Zero(entries, entries);
  for (Index first = 0; first < count; first += block) {
    MatrixXd columns(entries, std::min(block, count - first));
    for (Index c = 0; c < columns.cols(); ++c) {
      const MatrixXd a =
          first + c == 0 ? MatrixXd(map.matrix()) : map.deviations[static_cast<std::size_t>(first + c - 1)].leftCols(n);
      columns.col(c) = a.reshaped();
    }
    result.noalias() += columns * columns.transpose();
  }
  return result;
}

// The matrix of one phase's K on stacked upper triangles: K(C)_pq = Σ_ij E[A_pi A_qj] C_ij.
MatrixXd half_matrix(const MomentMap& map) {
  const Index n = map.size();
  const MatrixXd g = gram(map);
  MatrixXd result(n * (n + 1) / 2, n * (n + 1) / 2);
  for (Index j = 0, column = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i, ++column)
      for (Index q = 0, row = 0; q < n; ++q)
        for (Index p = 0; p <= q; ++p, ++row)
          result(row, column) = g(p + n * i, q + n * j) + (i == j ? 0.0 : g(p + n * j, q + n * i));
  return result;
}

MatrixXd through(const Cycle& cycle, MatrixXd x) {
  for (const MomentMap* map : cycle) x = map->linear_part(x);
  return x;
}

double inner(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

CycleSolver::CycleSolver(const Cycle& cycle, Index direct) : cycle_(cycle) {
  const Index n = cycle.front()->size();
  if (n > direct) return;
  std::map<const MomentMap*, MatrixXd> matrices;
  MatrixXd product = MatrixXd::Identity(n * (n + 1) / 2, n * (n + 1) / 2);
  for (const MomentMap* map : cycle) {
    if (!matrices.contains(map)) matrices[map] = half_matrix(*map);
    product = (matrices[map] * product).eval();
  }
  system_.emplace(MatrixXd::Identity(product.rows(), product.cols()) - product);
}

MatrixXd CycleSolver::solve(const MatrixXd& right) const {
  if (!system_) return iterate(right);
  return whole(system_->solve(half(right)), right.rows());
}

// BiCGSTAB (van der Vorst 1992) with matrices in the place of vectors.
MatrixXd CycleSolver::iterate(const MatrixXd& right) const {
  constexpr int kMost = 5000;
  const auto apply = [&](const MatrixXd& x) { return MatrixXd(x - through(cycle_, x)); };
  const double goal = 1e-13 * right.norm();
  MatrixXd x = MatrixXd::Zero(right.rows(), right.cols()), residual = right;
  const MatrixXd shadow = residual;
  MatrixXd p = residual;
  double rho = inner(shadow, residual);
  for (int k = 0; k < kMost; ++k) {
    if (!(residual.norm() > goal)) return x;
    const MatrixXd v = apply(p);
    const double alpha = rho / inner(shadow, v);
    const MatrixXd s = residual - alpha * v, t = apply(s);
    const double omega = s.norm() > goal ? inner(t, s) / inner(t, t) : 0.0;
    x += alpha * p + omega * s;
    residual = s - omega * t;
    if (omega == 0) return x;
    const double next = inner(shadow, residual);
    p = (residual + (next / rho) * (alpha / omega) * (p - omega * v)).eval();
    rho = next;
  }
  return MatrixXd::Constant(right.rows(), right.cols(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace pollen::stats
