// The prior of a problem whose clients have no latents: as the configuration gives it, or with scales that follow from
// the data (model.prior = "auto").
#pragma once

#include "run/problem.h"

namespace pollen {

// Sets problem.prior and the units in which coefficients are reported. The model and what is known of the data must be
// there. Throws ConfigError if numbers do not fit the model, or if the data do not tell the scales.
void set_prior(const Config& config, StatisticalProblem& problem);

}  // namespace pollen
