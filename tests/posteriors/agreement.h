// Posterior means and standard deviations with their Monte Carlo errors, from reference chains and from the samplers,
// and a test whether they agree.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "mala.h"

namespace pollen::reference {

struct Estimate {
  double mean = 0, mean_se = 0, sd = 0, sd_se = 0;
};

struct Posterior {
  std::vector<Estimate> parameters;
  double worst_rhat = 0, least_ess = 0;
};

Posterior summarise(const Chains& chains);

// Runs the configuration on one thread.
Posterior sampled(const std::string& text, const Overrides& overrides = {});
// Runs reference chains for the same configuration. Fails the test if they do not mix.
Posterior reference_for(const std::string& text, const Overrides& overrides = {}, const MalaOptions& options = {});

// Runs reference chains for the problem, then each sampler on it with its own seed. The problem must have no test rows,
// so that its posterior does not depend on the seed.
void compare(const std::string& text, const Overrides& problem, std::initializer_list<Overrides> samplers);

// Expects every mean and every standard deviation to agree within `errors` combined Monte Carlo errors. Returns the
// worst distance in these units.
double expect_agreement(const Posterior& sampler, const Posterior& reference, double errors = 4);

}  // namespace pollen::reference
