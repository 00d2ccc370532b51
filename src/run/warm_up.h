// Finds a start near a mode by stochastic gradient descent with momentum, with queries to all clients
// (docs/networks.md, "Starts and the warm-up"):
//   g = (1/N)(Σ_i H_i(x) + ∇U_0(x)),  v ← μ v + g,  x ← x - r_k v,
// where H_i is the gradient on a minibatch of client i. The rate r_k is constant, or (one cycle) it rises to `rate`
// over the first 30 % of the steps and falls to a ten-thousandth of it along half a cosine. Messages are uncompressed.
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
  std::function<void(std::int64_t done, std::int64_t steps)> watch;  // called before every step, and after the last
};

// Every chain descends by itself from its own column of `position`. Returns the number of steps. Throws NumericError if
// a number is no longer finite.
std::int64_t warm_up(const WarmUpConfig& config, const WarmUpProblem& problem, PanelView position);

}  // namespace pollen
