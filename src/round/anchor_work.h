// The work of a client of clsd++. Its anchors are its own: one that is absent when anchors move keeps the old ones.
//
//   H_i = (N/n) Σ_{j∈S} [∇U_ij(θ) - ∇U_ij(ζ)] + ∇U_i(ζ),  or (N/n) Σ_{j∈S} ∇U_ij(θ) before the first anchor,
// and ∇U_i(θ) in a round in which anchors move. The client's share of the prior is exact.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/round.h"
#include "round/local_work.h"

namespace pollen {

class AnchorWork final : public LocalWork {
 public:
  AnchorWork(std::uint32_t client, const Potential& potential, const ClientParts& parts, Index chains);

  void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) override;
  void commit(const Reply& reply) override;
  void archive(Archive& archive) override;
  void archive_pending(Archive& archive) override;

 private:
  std::int64_t estimate(const ClientView& view, std::uint32_t chain, std::span<double> out, Workspace& work) const;

  std::uint32_t client_;
  ClientParts parts_;
  const Potential& potential_;
  BatchSize size_;
  // One column per chain: ζ, ∇U_i(ζ), and those to which they move if the last reply is counted. Empty if the batch is
  // all rows.
  Panel anchor_, gradient_, next_anchor_, next_gradient_;
  std::vector<std::uint64_t> known_;  // one per chain: 1 if there is an anchor
};

}  // namespace pollen
