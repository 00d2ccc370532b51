// Separation: coefficients of a logistic, softmax or Poisson model whose likelihood has no maximum, so that the prior
// alone keeps them finite. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "causes.h"

namespace pollen::sink {

// Whether the model's likelihood can be without a maximum.
bool may_separate(const RunFacts& facts);

// Names coefficients whose draws show it. Such draws may be good ones, but should not be read without knowing it. Empty
// if there are none.
std::string separation(const Evidence& evidence);

// The sentence about coefficients of these names; empty if there are none.
std::string separated_by(std::vector<std::string> names, const RunFacts& facts);

}  // namespace pollen::sink
