// Gradient estimates for the local steps of the competitors' clients. An estimate of ∇(U_i + ϖ_i U_0) uses a minibatch
// or all rows; the prior's part is always exact. Objects are not thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "kernel.h"

namespace pollen::reference {

class ClientGradients {
 public:
  ClientGradients(const Chains& chains, const Batch& batch, std::vector<double> prior_share);

  // Writes the gradient at at(:, c) to out(:, c) for every chain. `draw` numbers the estimates of one client, and each
  // number has its own minibatch. The evaluated gradients are added to chains.counters.
  void estimate(Chains& chains, Index client, std::uint64_t draw, ConstPanelView at, PanelView out);
  // Estimates the gradient of the likelihood alone, without the prior, for one chain.
  void estimate_likelihood(Chains& chains, Index client, Index chain, std::uint64_t draw, std::span<double> out);

 private:
  void evaluate(Chains& chains, const OracleInput& input, const PanelView& out);

  std::vector<double> prior_share_;
  std::vector<std::unique_ptr<Oracle>> oracles_;  // full or minibatch oracles, which keep no state
  std::vector<Stream> minibatch_;
  std::vector<std::uint32_t> everyone_;
};

}  // namespace pollen::reference
