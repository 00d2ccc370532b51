// A check that FedSOUL, FedSOUK and the baselines share. Thread-safe.
#pragma once

#include <span>
#include <vector>

#include "personal/personal.h"
#include "pollen/archive.h"

namespace pollen {

// Whether log σ is beyond ±100, where no real data are. A step that is too long can drive it there while every number
// stays finite: the gradients by all other coordinates then vanish, and log σ comes back by only one step size per
// iteration.
bool noise_ran_away(const PersonalPotential& client, std::span<const double> shared);

}  // namespace pollen
