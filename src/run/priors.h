// The prior of a problem whose clients have no latents: as the configuration gives it, or with scales that follow from
// the data (model.prior = "auto").
#pragma once

#include "run/problem.h"

namespace pollen {

// Sets problem.prior and the units in which coefficients are reported. The model and what is known of the data must be
// there. Throws ConfigError if numbers do not fit the model, or if the data do not tell the scales.
void set_prior(const Config& config, StatisticalProblem& problem);

// Returns a warning where a regression has less than two rows for a coefficient, so that the prior decides much: how
// many columns to leave out, and which prior is narrow enough. Empty elsewhere.
std::string few_rows(const StatisticalProblem& problem);

}  // namespace pollen
