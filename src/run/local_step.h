// Chooses steps for the averaging family from the clients' own curvature, and checks which schemes the clients' numbers
// of rows allow (docs/algorithms.md section 6).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/transport.h"

namespace pollen {

// Bounds on the curvature of the clients' potentials divided by their weights, f^c = U^c/w_c.
struct LocalBounds {
  double smoothness = 0;  // L: the largest λ_max
  double convexity = 0;   // m: the smallest λ_min, if it was asked for
  Index clients = 1;
};

// Asks every client for its bounds at `at`. `weights` are as local_weights() gives them; `convexity` says whether m is
// wanted, too.
LocalBounds find_local_bounds(Transport& transport, std::span<const double> weights, std::span<const double> at,
                              Index clients, bool convexity);

// A stable step with little client drift, in the paper's units: the smaller of `one_step`, which auto_step() picks for
// one step per round, and 0.2/L with the L of the worst client, divided by the mean number of local steps.
double auto_local_step(const Recipe& recipe, const LocalBounds& bounds, double one_step);
// The largest step for which forecasts, which are of first order, are believed: the steps of a round add up to at most
// 1/L of the worst client, so that none comes close to its own mode within a round.
double most_local_step(const LocalSteps& local, const LocalBounds& bounds);

// Checks averages over some of the clients. FA-LD's scheme II on unbalanced data is a ConfigError. Both of its schemes,
// and FALD with absent clients, have the wrong spread unless ρ = 1 or τ = 1, which is a warning that says the factor.
void check_sizes(const Config& config, const Recipe& recipe, std::span<const Index> sizes,
                 std::vector<std::string>& warnings);

}  // namespace pollen
