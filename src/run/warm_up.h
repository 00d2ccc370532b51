// A start near a mode: stochastic gradient descent with momentum, by the federated round itself without its noise.
//
//   g = (1/N)(Σ_i H_i(x) + ∇U_0(x)),  v ← μ v + g,  x ← x - r_k v
// H_i a minibatch of every client; r_k rises to `rate` over the first 30 % and falls to a ten-thousandth of it along
// half a cosine (one cycle), or stays. Messages are whole vectors, counted as set-up.
#pragma once

#include <atomic>

#include "pollen/config.h"
#include "run/federated.h"

namespace pollen {

struct WarmUpResult {
  Panel position;
  std::int64_t steps = 0;
  std::int64_t bits = 0;
};

// Every chain descends by itself from its own column of `start`. NumericError where it leaves the finite numbers,
// Interrupted where `stop` is set: half a warm-up would be another start.
WarmUpResult warm_up(const WarmUpConfig& config, const FederatedSetup& setup,
                     const FederatedEngine::MakeTransport& make, ConstPanelView start, const std::atomic<bool>* stop);

}  // namespace pollen
