// Finds directions of the posterior in which chains move much more slowly than in others, and says what helps. Pure.
#pragma once

#include <string>

#include "causes.h"

namespace pollen::sink {

// Describes columns that the data cannot tell apart, or a posterior that is much longer in one direction than in
// others, which a sampler with one step size for all directions explores slowly. Empty if there is no such direction,
// or if the sampler does not depend on it.
std::string slow_directions(const Evidence& evidence);

// Describes columns between which the prior alone decides. The draws may be good ones, but should not be read without
// knowing it. Empty if there are none.
std::string prior_between_columns(const Evidence& evidence);

// Names a setting with which such directions do not matter.
std::string other_coordinates(const RunFacts& facts);

}  // namespace pollen::sink
