// Decides who takes part in a round, and with which weights (docs/algorithms.md section 3). Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pollen/random.h"
#include "pollen/recipe.h"
#include "pollen/round.h"

namespace pollen {

// Draws the roster of a round. `sizes` are the N_i, which draws with replacement use. If `reweight` is false, all
// weights are 1.
class ParticipationDraw {
 public:
  ParticipationDraw(const Participation& policy, std::span<const Index> sizes, Index chains, bool coupled,
                    std::uint64_t seed, bool reweight);
  void draw(std::uint64_t round, Roster& out);
  void everybody(Roster& out) const;  // writes the roster of all clients in all chains, with weight 1

 private:
  struct Member {
    std::uint32_t client;
    std::uint32_t chain;
    double weight;
  };
  void draw_chain(std::uint64_t round, std::uint32_t stream, std::vector<Member>& members);
  void draw_bernoulli(Sequence& sequence, std::vector<Member>& members);
  void draw_fixed(Sequence& sequence, std::vector<Member>& members);

  Participation policy_;
  std::vector<double> cumulative_;  // cumulative sums of N_c, for draws with replacement
  Index clients_;
  Index chains_;
  bool coupled_;
  bool reweight_;
  bool constant_ = false;        // full participation, whose roster is made once
  std::vector<Stream> streams_;  // one per chain
  std::vector<std::uint32_t> picked_;
  std::vector<Member> members_, chain_members_;
};

}  // namespace pollen
