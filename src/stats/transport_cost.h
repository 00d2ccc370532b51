// The methods behind empirical_w2. Each returns W2², exact or approximate, of two centred, equally weighted samples
// with one point per column. All functions are pure.
#pragma once

#include <Eigen/Core>

namespace pollen::stats {

using Points = Eigen::MatrixXd;

// Returns the matrix with entries cost(i, j) = ‖a_i - b_j‖².
Eigen::MatrixXd squared_distances(const Points& a, const Points& b);

double assignment_cost(const Eigen::MatrixXd& cost);  // the mean cost of the best permutation; `cost` must be square
// Returns the debiased entropic cost after a fixed number of iterations.
double sinkhorn_divergence(const Points& a, const Points& b);
// Returns d times the mean over fixed directions of the exact W2² of the projections.
double sliced_cost(const Points& a, const Points& b);

}  // namespace pollen::stats
