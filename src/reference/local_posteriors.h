// Lets every client sample its own posterior exp(-(U_i + ϖ U_0)/T) with an adapting kernel and as many chains as the
// run has. Consensus Monte Carlo combines these draws, and FSGLD fits its surrogates to them. One covariance per client
// is taken over all chains. Objects are not thread-safe.
#pragma once

#include <vector>

#include "dense.h"
#include "exact/fleet.h"
#include "samplers.h"

namespace pollen::reference {

class LocalPosteriors {
 public:
  struct Options {
    double prior_share = 1;
    double temperature = 1;
    std::int64_t warm_up = 0;  // iterations in which the kernels adapt
  };
  LocalPosteriors(const Chains& chains, const ReferenceSettings& settings, const Options& options);

  void start(const Chains& chains);
  void iterate(Chains& chains);  // makes one transition of every chain of every client
  void collect();                // adds the current positions to the moments
  ConstPanelView position(Index client) const { return clients_[static_cast<std::size_t>(client)]->fleet.position(); }
  const RunningCovariance& moments(Index client) const { return clients_[static_cast<std::size_t>(client)]->moments; }
  // Returns the inverse of a client's covariance. Throws NumericError if the covariance is not invertible.
  Symmetric precision(Index client) const;
  void archive(Archive& archive);

 private:
  struct Client {
    exact::HeldPosterior posterior;
    exact::Fleet fleet;
    RunningCovariance moments;
  };
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace pollen::reference
