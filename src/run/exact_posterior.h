// The posterior of a federation, as exact kernels ask for it (exact/posterior.h): every question is an exchange with
// all clients, who answer with their potentials and gradients, and the sums over clients are taken in the fixed blocks.
// One thread per object; the transport may use more.
#pragma once

#include "client_link.h"
#include "exact/posterior.h"
#include "round/traffic.h"

namespace pollen {

class FederatedPosterior final : public exact::Posterior {
 public:
  explicit FederatedPosterior(ClientLink& link) : link_(link) {}  // the link must outlive the object

  Index dimension() const override { return link_.setup().dimension; }
  double temperature() const override { return link_.setup().recipe->temperature; }
  void ask(ConstPanelView at, PanelView out, Counters& counters) override;
  void settle() override { settled_ = true; }
  void blame(const NumericError& error, bool fell) override { link_.transport().blame(error, fell); }
  void listen(TrafficListener listener) override { traffic_.listen(std::move(listener)); }
  void archive(Archive& archive) override;

 private:
  void count(Index columns, Counters& counters);

  ClientLink& link_;
  TrafficLog traffic_;
  bool settled_ = false;
};

}  // namespace pollen
