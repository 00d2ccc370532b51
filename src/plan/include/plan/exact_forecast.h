// The exact stationary law of a sampler on the Gaussian approximation of a posterior, for those who see every client's
// Hessian and gradient at the mode. It is used in the place of the first order in the step (plan/forecast.h) where it
// exists and is computed quickly. All functions are pure.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "pollen/recipe.h"
#include "stats/exact_law.h"

namespace pollen::plan {

// A client's likelihood at the mode, in the coordinates in which the sampler runs.
struct VisibleClient {
  Eigen::MatrixXd curvature;
  Eigen::VectorXd gradient;
  Index rows = 1;
};
struct VisibleProblem {
  std::vector<VisibleClient> clients;
  Eigen::MatrixXd prior_curvature;
  Eigen::VectorXd prior_gradient;
};

inline constexpr double kQuick = 4e8;  // operations, which take about 0.2 s

// Why a recipe has no exact law here, or one that takes more than about `most` operations; empty if it has. `rows` are
// the clients' N_i.
std::string exact_obstacle(const Recipe& recipe, std::span<const Index> rows, Index dimension, double most = kQuick);

// Returns the law of ψ of the recipe's draws, less the mean of the Gaussian approximation, averaged over the phases of
// a refresh cycle. Throws std::invalid_argument if there are too many outcomes to list, and std::domain_error if the
// recursion is not stable.
stats::Law exact_law(const VisibleProblem& problem, const Recipe& recipe);

}  // namespace pollen::plan
