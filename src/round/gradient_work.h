// A client's estimate of the gradient of what it owns: its likelihood, by an oracle, and its share of the prior.
#pragma once

#include <memory>
#include <vector>

#include "pollen/round.h"

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
  std::vector<double> anchor_;  // fixed point with a share of the prior: θ̂
};

}  // namespace pollen
