// Counts how often clients took part over a run. Clients are in at most 200 groups of consecutive clients, iterations
// in at most 100 bins. Counts depend on the rosters alone, so a resumed run has the same counts as one that never
// stopped. One thread per object.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/archive.h"
#include "pollen/types.h"
#include "round/participation.h"

namespace pollen {

class ParticipationTally {
 public:
  static constexpr Index kMostGroups = 200, kMostBins = 100;

  ParticipationTally() = default;
  ParticipationTally(Index clients, std::int64_t iterations);

  void add(std::int64_t iteration, const Roster& roster);  // `iteration`, from 1, ended the round

  Index groups() const { return static_cast<Index>(begin_.size()) - 1; }
  Index bins() const { return static_cast<Index>(rounds_.size()); }
  // The first client of a group; first_client(groups()) is the number of clients.
  Index first_client(Index group) const { return begin_[static_cast<std::size_t>(group)]; }
  std::int64_t last_iteration(Index bin) const;
  std::int64_t rounds(Index bin) const { return rounds_[static_cast<std::size_t>(bin)]; }
  std::int64_t messages(Index group, Index bin) const;  // one per client and chain that the client worked for
  bool empty() const;                                   // whether no round was counted
  void archive(Archive& archive);

 private:
  std::int64_t iterations_ = 1;
  std::vector<Index> begin_ = {0};
  std::vector<std::int64_t> rounds_, messages_;  // one per bin; one per (bin, group)
};

}  // namespace pollen
