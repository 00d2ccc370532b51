// Scores and the predictive check of a run with latents, from the predictions that were averaged over each client's own
// draws.
#pragma once

#include <vector>

#include "run/experiment.h"
#include "sink/predictive_check.h"
#include "sink/summary.h"

namespace pollen::sink {

// The rows that are predicted for the clients, without their features, and the groups that they are compared in.
struct PredictedTargets {
  ScoredRows rows;
  std::vector<Index> begin;  // client i has the rows begin[i] .. begin[i+1]-1
  TargetGroups groups;
};

PredictedTargets targets_of(const Experiment& experiment, Index clients, bool training);

// The law of the sums that are compared with the clients' rows. The uncertainty of (φ, β) moves all clients together,
// so that sums over clients are taken draw by draw. Not thread-safe.
class ClientsSums {
 public:
  ClientsSums(const TargetGroups& groups, std::size_t clients);

  // Takes a client's sums; clients come in order.
  void add(const OwnSums& own);
  Index draws() const { return draws_; }
  ReplicatedSums law() const;

 private:
  std::size_t many_, each_, compared_, added_ = 0;
  Index draws_ = 0;
  std::vector<double> mean_, variance_;  // of all clients: many_ numbers for each draw
  ReplicatedSums own_;                   // of the clients that are compared
};

// Fills summary.clients, the scores over all clients with their spread, and the check. `drawn` has one entry per
// client.
void score_clients(Summary& summary, const Experiment& experiment, const PredictedTargets& targets,
                   const std::vector<OwnDraws>& drawn, const ClientsSums& sums);

}  // namespace pollen::sink
