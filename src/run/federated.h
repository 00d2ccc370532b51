// The federated round as an engine: server, view, clients and what carries messages between them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/transport.h"
#include "round/client_host.h"
#include "round/engine.h"
#include "run/problem.h"

namespace pollen {

struct FederatedSetup {
  const Recipe* recipe = nullptr;  // outlives the engine; its step may change until the first iteration
  const Prior* prior = nullptr;
  // Of this process's clients, which follow each other; others' are elsewhere. None where clients have other work.
  const Potentials* potentials = nullptr;
  Index first = 0;               // the first of them
  std::span<const Index> sizes;  // N_i; the memory outlives the engine
  Index dimension = 0;
  Index chains = 1;
  std::uint64_t seed = 1;
  const ClientWork* work = nullptr;  // outlives the engine; null: what the recipe says, of the potentials
  Index with_work = 0;               // how many of this process's clients have it
};

class FederatedEngine final : public Engine {
 public:
  using MakeTransport = std::function<std::unique_ptr<Transport>(ClientView&, Clients&)>;
  // Without a step: the one that the recipe says.
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
  void recipe_changed();  // the step, or the constants of a decaying one, were picked
  void start_control();   // VR-FALD*: Y_0 and C_0 at the starting positions

 private:
  void refresh();
  void gather(Panel& mean);  // Σ w_i x_i of where the clients are now

  FederatedSetup setup_;
  std::vector<std::unique_ptr<const Compressor>> compressors_;  // as the fleet has them
  std::unique_ptr<Server> server_;
  std::unique_ptr<ClientHost> host_;  // without clients of this process: a mirror of what theirs have heard
  std::unique_ptr<Transport> transport_;
  Panel mean_;               // emit = "every": of the last iteration
  Panel anchor_, gradient_;  // control variates: Y and C
};

}  // namespace pollen
