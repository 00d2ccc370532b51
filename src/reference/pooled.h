// The rows of all clients as one potential Σ U_i, for samplers that run on pooled data.
#pragma once

#include <memory>

#include "reference/reference.h"

namespace pollen::reference {

// Numbers rows client after client.
std::shared_ptr<const Potential> make_pooled(const ReferenceProblem& problem);

}  // namespace pollen::reference
