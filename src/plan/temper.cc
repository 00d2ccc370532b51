#include "proofs.h"

namespace pollen::plan {

Constants tempered(const Constants& constants) {
  Constants c = constants;
  const double t = c.temperature;
  c.temperature = 1;
  c.convexity /= t;
  c.smoothness /= t;
  if (c.hessian_lipschitz) *c.hessian_lipschitz /= t;
  for (ClientConstants& client : c.clients) {
    client.smoothness /= t;
    client.convexity /= t;
    client.row_smoothness /= t;
    client.gradient /= t * t;
    client.variance /= t * t;
  }
  return c;
}

}  // namespace pollen::plan
