// The principal directions of draws: the eigenvectors of their correlation matrix. They show what single parameters
// hide. If two columns are nearly collinear, both coefficients mix slowly, but only one direction of the two is slow.
// Pure.
#pragma once

#include <vector>

#include "pollen/types.h"

namespace pollen::stats {

struct Direction {
  double variance = 0;          // of the standardised draws along it; 1 on average
  double ess = 0;               // bulk ESS of the draws along it
  std::vector<double> loading;  // one number per parameter, of length 1
};

// Returns the directions from the least variance to the largest. `values` has one list per parameter, chain after
// chain. The result is empty if a draw is not finite or a parameter never moves.
std::vector<Direction> principal_directions(const std::vector<std::vector<double>>& values, Index chains);

}  // namespace pollen::stats
