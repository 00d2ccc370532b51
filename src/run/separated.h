// Separation where coefficients have no prior: the data tell the classes apart without error, or counts are all 0, so
// that the likelihood has no maximum. The search for one ends far out, where hardly any information is left.
#pragma once

#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/types.h"

namespace pollen {

// Returns the coordinates about which nearly all information that there is at the start of a search is lost at its end.
// Both are Hessians, or their diagonals as d × 1. What is not known at the start either is collinear, and is not meant.
std::vector<std::size_t> lost_coordinates(const Panel& at_start, const Panel& at_end);

// Throws the ConfigError about coefficients of these names. `accepted` has the settings that give them a prior.
[[noreturn]] void refuse_separation(const Config& config, std::vector<std::string> names, const char* accepted);

}  // namespace pollen
