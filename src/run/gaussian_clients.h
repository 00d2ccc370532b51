// Builds a gaussian problem from the [[client]] tables of a configuration, in which each client has a mean and a
// precision or a few rows of data (docs/configuration.md).
#pragma once

#include "run/problem.h"

namespace pollen {

// Checks the tables and adds their potentials to the problem; clients given by data also go into one table of rows.
// Throws ConfigError if anything is wrong.
void add_gaussian_clients(const Config& config, StatisticalProblem& problem);

}  // namespace pollen
