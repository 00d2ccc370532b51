// What competitors' clients compute in their local steps: estimates of ∇(U_i + ϖ_i U_0), from a minibatch or all rows,
// the prior's part exact.
#pragma once

#include <memory>
#include <vector>

#include "kernel.h"

namespace pollen::reference {

class ClientGradients {
 public:
  ClientGradients(const Chains& chains, const Batch& batch, std::vector<double> prior_share);

  // out(:, c) at at(:, c) for every chain; `draw` numbers a client's estimates. Counts them in chains.counters.
  void estimate(Chains& chains, Index client, std::uint64_t draw, ConstPanelView at, PanelView out);
  // The likelihood's part alone, for one chain.
  void estimate_likelihood(Chains& chains, Index client, Index chain, std::uint64_t draw, std::span<double> out);

 private:
  std::vector<double> prior_share_;
  std::vector<std::unique_ptr<Oracle>> oracles_;  // full or minibatch: they keep nothing
  std::vector<Stream> minibatch_;
  std::vector<std::uint32_t> everyone_;
};

}  // namespace pollen::reference
