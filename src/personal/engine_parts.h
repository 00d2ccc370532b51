// What FedSOUK and the baselines share.
#pragma once

#include <span>
#include <vector>

#include "personal/personal.h"
#include "pollen/archive.h"

namespace pollen {

// Whether log σ is where no data are, beyond ±100. A step that is too long can drive it there while every number stays
// finite: gradients by all else then vanish, and log σ comes back by a step a step.
bool noise_ran_away(const PersonalPotential& client, std::span<const double> shared);

}  // namespace pollen
