// Runs that several tests start from.
#pragma once

#include "pollen/privacy.h"

namespace pollen {

inline PrivacyClients equal_clients(Index count, double rate) {
  const double share = 1 / static_cast<double>(count);
  return {.count = count,
          .min_share = share,
          .max_share = share,
          .min_rate_squared_share = rate * rate * share,
          .max_rate = rate,
          .distinct = {{share, rate}}};
}

// Four clients with a tenth of the rows per step, clip 1/2 and a hundred local steps per round.
inline PrivacyInputs four_clients() {
  return {.step = 1e-6,
          .correlation = 0.5,
          .sensitivity = 1,
          .local_steps = 100,
          .drawn = 2,
          .delta = 3e-6,
          .clients = equal_clients(4, 0.1)};
}

}  // namespace pollen
