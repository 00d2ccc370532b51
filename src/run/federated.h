// The engine of all federated samplers: a server whose rounds go through a ClientLink. One thread per engine.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "client_link.h"
#include "exact/joint.h"
#include "personal/personal.h"
#include "round/engine.h"
#include "round/server_step.h"

namespace pollen {

// From which iteration on absurd replies are refused, and of which clients they are not (Server::Setup).
struct Judgement {
  std::int64_t from = std::numeric_limits<std::int64_t>::max();
  std::vector<std::uint32_t> believed = {};
};

class FederatedEngine final : public Engine {
 public:
  // The link must outlive the engine. If `step` is null the server takes the recipe's step.
  explicit FederatedEngine(ClientLink& link, std::unique_ptr<ServerStep> step = nullptr,
                           const Judgement& judgement = {});

  void start(ConstPanelView position) override;
  std::int64_t advance(std::int64_t most) override;
  bool emits() const override;
  ConstPanelView position() const override;
  std::int64_t iteration() const override;
  Counters& counters() override { return server_->counters(); }
  void listen(TrafficListener listener) override { server_->listen(std::move(listener)); }
  std::span<const Transition> transitions() const override;
  void archive(Archive& archive) override;

  Server& server() { return *server_; }
  void set_transport(const MakeTransport& make);
  void start_control();  // VR-FALD*: sets Y_0 and C_0 at the starting positions
  // What clients keep for themselves after the last iteration (LocalWork::latents), one column per client.
  ConstPanelView latents();

 private:
  const ClientWork* split() const;  // what clients do, if they keep parts of the models; else null
  void put_together();              // sets mean_ if clients keep parts of the models
  void ask_information();
  void refresh();
  void gather(Panel& mean);  // computes Σ w_i x_i over the clients' present positions x_i

  ClientLink& link_;
  std::unique_ptr<Server> server_;
  Approximation* approximation_ = nullptr;  // the server's step, for fedsoul and fedsouk
  exact::JointStep* joint_ = nullptr;       // the server's step, for hmc with latents
  Panel mean_;  // with emit = "every": the clients' mean after the last iteration; with split models: the positions
  Panel latents_;
  std::int64_t latents_at_ = -1;  // the iteration of latents_
  Panel anchor_, gradient_;       // the control variates Y and C
};

}  // namespace pollen
