// A step that is too long can drive log σ away while every number stays finite: gradients by all else then vanish, and
// log σ comes back by a step a step.
#pragma once

#include <cmath>
#include <span>

#include "pollen/mixed.h"

namespace pollen {

// No data are on a scale of e^±100.
inline bool noise_ran_away(const PersonalPotential& client, std::span<const double> shared) {
  return client.learns_noise() && std::abs(shared.back()) > 100;
}

}  // namespace pollen
