// The methods behind empirical_w2: each gives W2² of two centred samples of equal weight (a column a point). Pure.
#pragma once

#include <Eigen/Core>

namespace pollen::stats {

using Points = Eigen::MatrixXd;

// cost(i, j) = ‖a_i - b_j‖².
Eigen::MatrixXd squared_distances(const Points& a, const Points& b);

double assignment_cost(const Eigen::MatrixXd& cost);           // mean cost of the best permutation; square
double sinkhorn_divergence(const Points& a, const Points& b);  // entropic, debiased, a fixed number of iterations
double sliced_cost(const Points& a, const Points& b);  // d × mean over fixed directions of the exact W2² there

}  // namespace pollen::stats
