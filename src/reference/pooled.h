// All clients' rows as one potential: Σ U_i, its rows numbered client after client.
#pragma once

#include <memory>

#include "pollen/reference.h"

namespace pollen::centralised {

std::shared_ptr<const Potential> make_pooled(const ReferenceProblem& problem);

}  // namespace pollen::centralised
