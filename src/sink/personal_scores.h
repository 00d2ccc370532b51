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

// Fills summary.clients, the scores over all clients with their spread, and the check. `drawn` has one entry per
// client.
void score_clients(Summary& summary, const Experiment& experiment, const PredictedTargets& targets,
                   const std::vector<OwnDraws>& drawn);

}  // namespace pollen::sink
