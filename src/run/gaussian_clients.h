// The [[client]] tables of a gaussian problem.
#pragma once

#include "run/problem.h"

namespace pollen {

// Checked, into potentials and (for data) one table. Throws ConfigError.
void add_gaussian_clients(const Config& config, StatisticalProblem& problem);

}  // namespace pollen
