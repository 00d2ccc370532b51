// The assignment problem: which permutation has the least cost. Pure.
#pragma once

#include <Eigen/Core>

namespace pollen::stats {

double assignment_cost(const Eigen::MatrixXd& cost);  // the mean cost of the best permutation; `cost` must be square

}  // namespace pollen::stats
