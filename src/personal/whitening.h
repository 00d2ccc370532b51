// Coordinates of a client's latent in which its distribution has the same curvature in all directions.
#pragma once

#include "local_chain.h"

namespace pollen {

// Returns coordinates u with z = A u in which -∇² log p(z | D_i, φ, β) at its mode is the identity. The model must know
// its second derivatives. Thread-safe with one Scratch per thread.
Coordinates whitened(const LocalTarget& target, Scratch& scratch);

}  // namespace pollen
