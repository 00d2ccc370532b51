// All clients' rows as one potential: Σ U_i, its rows numbered client after client.
#pragma once

#include <memory>

#include "reference/reference.h"

namespace pollen::reference {

std::shared_ptr<const Potential> make_pooled(const ReferenceProblem& problem);

}  // namespace pollen::reference
