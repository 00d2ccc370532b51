// Every client samples a posterior of its own, exp(-(U_i + ϖ U_0)/T), with an adapting kernel and as many chains as the
// run has: what consensus Monte Carlo combines, and what FSGLD's surrogates are fitted to. Covariances are taken over
// all chains, which share them.
#pragma once

#include <vector>

#include "dense.h"
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
  void iterate(Chains& chains);  // one transition of every chain of every client
  void collect();                // takes the present positions into the moments
  ConstPanelView position(Index client) const { return clients_[static_cast<std::size_t>(client)]->chains.position; }
  const RunningCovariance& moments(Index client) const { return clients_[static_cast<std::size_t>(client)]->moments; }
  // The inverse of a client's covariance. NumericError where it has none.
  Symmetric precision(Index client) const;
  void archive(Archive& archive);

 private:
  struct Client {
    Client(const Chains& run, Index own, bool diagonal, double temperature);
    Chains chains;
    KernelPointer kernel;
    RunningCovariance moments;
  };
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace pollen::reference
