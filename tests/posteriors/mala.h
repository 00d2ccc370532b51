// Reference chains by the Metropolis-adjusted Langevin algorithm, in coordinates whitened by the Hessian at the mode.
// They are exact up to Monte Carlo error for any step.
#pragma once

#include "potential.h"

namespace pollen::reference {

struct Chains {
  std::size_t chains = 0;
  std::vector<Vector> values;  // one vector per parameter: draws of chain 0, then of chain 1, ...
  double acceptance = 0;       // after the warm-up
};

struct MalaOptions {
  std::size_t chains = 4;
  std::size_t warm_up = 1000;  // in which the step is tuned to an acceptance of 0.6
  std::size_t draws = 8000;    // per chain, after the warm-up
  unsigned seed = 20240607;
};

Vector mode(const Pooled& problem);
Chains mala(const Pooled& problem, const MalaOptions& options = {});

}  // namespace pollen::reference
