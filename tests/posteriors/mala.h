// Reference chains: the Metropolis-adjusted Langevin algorithm in coordinates whitened by the Hessian at the mode.
// Exact up to Monte Carlo error, whatever its step.
#pragma once

#include "potential.h"

namespace pollen::reference {

struct Chains {
  std::size_t chains = 0;
  std::vector<Vector> values;  // a vector for every parameter: draws of chain 0, then of chain 1, ...
  double acceptance = 0;       // after the warm-up
};

struct MalaOptions {
  std::size_t chains = 4;
  std::size_t warm_up = 1000;  // the step is tuned to an acceptance of 0.6 in it
  std::size_t draws = 8000;    // a chain, after the warm-up
  unsigned seed = 20240607;
};

Vector mode(const Pooled& problem);
Chains mala(const Pooled& problem, const MalaOptions& options = {});

}  // namespace pollen::reference
