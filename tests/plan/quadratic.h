// Computes the exact constants of quadratic problems, so that bounds can be compared with exact laws.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "stats/exact_law.h"
#include "pollen/plan.h"

namespace pollen::plan {

inline double top_eigenvalue(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues().maxCoeff();
}
inline double low_eigenvalue(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues().minCoeff();
}

// Returns W2² of the Gaussians with these moments, which is never above W2² of the laws themselves (Gelbrich).
inline double moment_w2_square(const stats::Law& a, const stats::Law& b) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> root(b.covariance);
  const Eigen::MatrixXd s = root.operatorSqrt();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> cross(s * a.covariance * s);
  const double overlap = cross.eigenvalues().cwiseMax(0).cwiseSqrt().sum();
  return (a.mean - b.mean).squaredNorm() + a.covariance.trace() + b.covariance.trace() - 2 * overlap;
}

// The prior is on the server, `batch` is the number of rows per client (0 means all), and ω and α are those of rand-k
// with k of d coordinates.
inline Constants constants_of(const stats::QuadraticProblem& problem, int batch = 0, int k = 0) {
  Constants c;
  const auto d = problem.prior_precision.size();
  c.dimension = static_cast<double>(d);
  const Eigen::VectorXd mode = problem.target().mean;
  Eigen::MatrixXd total = problem.prior_precision.asDiagonal();
  for (const stats::QuadraticClient& client : problem.clients) {
    ClientConstants one;
    Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(d, d);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(d);
    double squares = 0;
    for (const stats::QuadraticTerm& term : client.terms) {
      const Eigen::VectorXd g = term.curvature * mode - term.shift;
      curvature += term.curvature;
      sum += g;
      squares += g.squaredNorm();
      one.row_smoothness = std::max(one.row_smoothness, top_eigenvalue(term.curvature));
    }
    one.rows = static_cast<double>(client.terms.size());
    one.batch = batch > 0 ? std::min<double>(batch, one.rows) : one.rows;
    one.smoothness = top_eigenvalue(curvature);
    one.convexity = std::max(0.0, low_eigenvalue(curvature));
    one.gradient = sum.squaredNorm();
    one.variance = minibatch_variance(one.rows, one.batch, squares, sum.squaredNorm());
    if (k > 0) one.omega = c.dimension / k - 1, one.alpha = k / c.dimension;
    total += curvature;
    c.clients.push_back(one);
  }
  c.convexity = low_eigenvalue(total);
  c.smoothness = top_eigenvalue(total);
  return c;
}

}  // namespace pollen::plan
