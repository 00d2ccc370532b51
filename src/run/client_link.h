// A ClientLink reaches the clients of a run: it has this process's clients and the transport to all of them. Rounds and
// questions go through it; questions need no server. One thread per link; the transport may use more.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pollen/transport.h"
#include "round/client_host.h"
#include "round/local_work.h"
#include "run/problem.h"

namespace pollen {

struct FederatedSetup {
  const Recipe* recipe = nullptr;  // must outlive the link
  const Prior* prior = nullptr;
  // The potentials of this process's clients, who are consecutive. Null if `work` says what clients do.
  const Potentials* potentials = nullptr;
  Index first = 0;               // the first client of this process
  std::span<const Index> sizes;  // N_i of all clients; the memory must outlive the link
  Index dimension = 0;
  Index chains = 1;
  std::uint64_t seed = 1;
  const ClientWork* work = nullptr;  // must outlive the link; null for the recipe's work on the potentials
  Index with_work = 0;               // with `work`: the number of this process's clients
  bool apart = false;                // with `work`: clients are in processes of their own, and keep what they keep
};

class ClientLink {
 public:
  ClientLink(const FederatedSetup& setup, const MakeTransport& make);

  const FederatedSetup& setup() const { return setup_; }
  const std::vector<double>& weights() const { return weights_; }  // local steps: w_i, as local_weights() gives them
  ClientHost& host() { return host_; }
  Transport& transport() { return *transport_; }
  void set_transport(const MakeTransport& make);
  Team team() { return transport_ ? transport_->team() : Team(); }

 private:
  FederatedSetup setup_;
  std::vector<double> weights_;
  ClientHost host_;                       // without clients in this process: mirrors what the clients were sent
  std::unique_ptr<Transport> transport_;  // null at a rank other than 0, which only answers
};

}  // namespace pollen
