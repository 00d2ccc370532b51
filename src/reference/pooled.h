// All clients' rows as one potential: Σ U_i, its rows numbered client after client.
#pragma once

#include <memory>
#include <vector>

#include "pollen/model.h"

namespace pollen::centralised {

std::shared_ptr<const Potential> make_pooled(std::vector<const Potential*> clients);

}  // namespace pollen::centralised
