// Presents the rows of all clients as one potential Σ U_i, with rows numbered client after client.
#pragma once

#include <memory>

#include "reference/reference.h"

namespace pollen::reference {

std::shared_ptr<const Potential> make_pooled(const ReferenceProblem& problem);

}  // namespace pollen::reference
