// A start near a mode: stochastic gradient descent with momentum, by questions to all clients.
//
//   g = (1/N)(Σ_i H_i(x) + ∇U_0(x)),  v ← μ v + g,  x ← x - r_k v
// H_i a minibatch of every client; r_k rises to `rate` over the first 30 % and falls to a ten-thousandth of it along
// half a cosine (one cycle), or stays. Messages are whole vectors.
#pragma once

#include <functional>
#include <span>

#include "pollen/config.h"
#include "pollen/model.h"
#include "pollen/transport.h"

namespace pollen {

struct WarmUpProblem {
  Transport& transport;
  const Prior& prior;
  std::span<const Index> sizes;                                      // N_i
  std::function<void(std::int64_t done, std::int64_t steps)> watch;  // before every step, and after the last
};

// Every chain descends by itself from its own column of `position`. Returns the number of steps. NumericError where it
// leaves the finite numbers.
std::int64_t warm_up(const WarmUpConfig& config, const WarmUpProblem& problem, PanelView position);

}  // namespace pollen
