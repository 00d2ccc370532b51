// Steps of the averaging family, from the clients' own curvature, and what their sizes allow.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/transport.h"

namespace pollen {

// Of the clients' potentials over their weights, f^c = U^c/w_c.
struct LocalBounds {
  double smoothness = 0;  // L: the largest λ_max
  double convexity = 0;   // m: the smallest λ_min, where asked for
  Index clients = 1;
};

LocalBounds find_local_bounds(Transport& transport, const LocalSteps& local, std::span<const double> at,
                              std::span<const Index> sizes, bool convexity);

// A stable step with little drift: what auto_step picks for one step a round, at most a fifth of 1/L of the worst client,
// over the mean number of local steps; in the paper's units.
double auto_local_step(const Recipe& recipe, const LocalBounds& bounds, double one_step);

// Scheme II on unbalanced data is an error; schemes I and II have the wrong spread unless ρ = 1.
void check_sizes(const Config& config, const Recipe& recipe, std::span<const Index> sizes,
                 std::vector<std::string>& warnings);

}  // namespace pollen
