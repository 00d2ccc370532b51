// The averaging family's work of a client: its local steps (docs/algorithms.md section 6), where g estimates the
// gradient of what the client owns:
//   x ← x - (γ'/w) g + √(2γ'Tρ') Z + √(2γ'T(1-ρ')/w) Z_i
#pragma once

#include <cstdint>
#include <vector>

#include "gradient_work.h"

namespace pollen {

class SegmentWork final : public GradientWork {
 public:
  SegmentWork(std::uint32_t client, const Potential& potential, const ClientParts& parts, Index chains);

  void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) override;
  void commit(const Reply& reply) override;
  std::span<const double> position(const ClientView& view, Index chain) const override;
  void archive(Archive& archive) override;
  void archive_pending(Archive& archive) override;

 private:
  // Takes the steps of the view's segment, from where the last one ended, and leaves the result in pending_.
  void walk(const ClientView& view, Reply& reply, Workspace& work);
  void add_prior_and_control(const ClientView& view, const OracleInput& input, const PanelView& out) const;
  void send(const ClientView& view, const Reply& reply, const PanelView& out) const;

  Panel local_, pending_;                // the position reached; the position if the last reply is counted
  std::vector<std::uint64_t> local_at_;  // one per chain: the iteration that local_'s column has reached
  std::uint64_t pending_at_ = 0;
};

}  // namespace pollen
