// Small quadratic problems.
#pragma once

#include <cmath>
#include <vector>

#include "stats/exact_law.h"

namespace pollen::stats {

// Returns a scalar problem with U_i = Σ_j (θ - y_ij)²/2 and a flat prior.
inline QuadraticProblem points_problem(const std::vector<std::vector<double>>& data) {
  QuadraticProblem problem;
  problem.prior_precision = Eigen::VectorXd::Zero(1);
  for (const auto& points : data) {
    problem.clients.emplace_back();
    for (const double y : points)
      problem.clients.back().terms.push_back({Eigen::MatrixXd::Ones(1, 1), Eigen::VectorXd::Constant(1, y)});
  }
  return problem;
}

// Returns a linear regression in two dimensions with three clients of 3, 4 and 2 rows, each row with its own curvature.
inline QuadraticProblem regression_problem() {
  QuadraticProblem problem;
  problem.prior_precision = Eigen::Vector2d(0.5, 1.0);
  double t = 0;
  for (const int rows : {3, 4, 2}) {
    problem.clients.emplace_back();
    for (int j = 0; j < rows; ++j) {
      t += 1;
      Eigen::VectorXd x(2);
      x << 1 + 0.5 * std::sin(t), std::cos(2 * t);
      problem.clients.back().terms.push_back({x * x.transpose(), x * (0.3 * t - 1)});
    }
  }
  return problem;
}

}  // namespace pollen::stats
