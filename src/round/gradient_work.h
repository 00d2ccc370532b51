// The gradient family's work of a client: it estimates the gradient of what the client owns, which is its likelihood
// (by an oracle) and its share of the prior (exactly).
#pragma once

#include <memory>
#include <vector>

#include "pollen/round.h"
#include "round/local_work.h"

namespace pollen {

class GradientWork : public LocalWork {
 public:
  GradientWork(std::uint32_t client, const Potential& potential, const ClientParts& parts, Index chains);

  void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) override;
  void set_anchor(std::span<const double> at, std::span<const double> gradient) override;
  void archive(Archive& archive) override;

 protected:
  std::uint32_t client() const { return client_; }
  const ClientParts& parts() const { return parts_; }
  Oracle& oracle() { return *oracle_; }

 private:
  std::uint32_t client_;
  ClientParts parts_;
  std::unique_ptr<Oracle> oracle_;
  std::vector<double> anchor_;  // θ̂, kept for the fixed point if the client owns a share of the prior
};

}  // namespace pollen
