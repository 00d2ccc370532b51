// The engine of all federated samplers: the server, this process's clients, and the transport that carries messages
// between them. One thread per engine; the transport may use more.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/transport.h"
#include "round/client_host.h"
#include "round/engine.h"
#include "round/local_work.h"
#include "round/server_step.h"
#include "run/problem.h"

namespace pollen {

struct FederatedSetup {
  const Recipe* recipe = nullptr;  // must outlive the engine; its step may change until the first iteration
  const Prior* prior = nullptr;
  // The potentials of this process's clients, who are consecutive. Null if `work` says what clients do.
  const Potentials* potentials = nullptr;
  Index first = 0;               // the first client of this process
  std::span<const Index> sizes;  // N_i of all clients; the memory must outlive the engine
  Index dimension = 0;
  Index chains = 1;
  std::uint64_t seed = 1;
  const ClientWork* work = nullptr;  // must outlive the engine; null for the recipe's work on the potentials
  Index with_work = 0;               // with `work`: the number of this process's clients
};

class FederatedEngine final : public Engine {
 public:
  // If `step` is null the server takes the recipe's step.
  FederatedEngine(const FederatedSetup& setup, const MakeTransport& make, std::unique_ptr<ServerStep> step = nullptr);

  void start(ConstPanelView position) override { server_->start(position); }
  std::int64_t advance(std::int64_t most) override;
  bool emits() const override { return server_->averaged() || setup_.recipe->local->emit_every; }
  ConstPanelView position() const override;
  std::int64_t iteration() const override { return server_->iteration(); }
  Counters& counters() override { return server_->counters(); }
  void listen(TrafficListener listener) override { server_->listen(std::move(listener)); }
  void archive(Archive& archive) override;

  Server& server() { return *server_; }
  ClientHost& host() { return *host_; }
  Transport& transport() { return *transport_; }
  void set_transport(const MakeTransport& make);
  void recipe_changed();  // to be called when the step, or the constants of a decaying step, were chosen
  void start_control();   // VR-FALD*: sets Y_0 and C_0 at the starting positions

 private:
  void refresh();
  void gather(Panel& mean);  // computes Σ w_i x_i over the clients' present positions x_i

  FederatedSetup setup_;
  std::vector<std::unique_ptr<const Compressor>> compressors_;  // one per client, or one for all
  std::unique_ptr<Server> server_;
  std::unique_ptr<ClientHost> host_;  // without clients in this process: mirrors what the clients were sent
  std::unique_ptr<Transport> transport_;
  Panel mean_;               // with emit = "every": the clients' mean after the last iteration
  Panel anchor_, gradient_;  // the control variates Y and C
};

}  // namespace pollen
