// Compares two runs of a network by what they predict. Weights are not compared, because a network's units can swap.
#pragma once

#include <string>

#include "sink/comparison.h"
#include "sink/draw_stream.h"
#include "sink/predictive.h"

namespace pollen::sink {

struct ComparedNetworks {
  Scores ours, theirs;  // accuracy, ece, brier, nnll of each averaged predictive
  Index draws = 0, reference_draws = 0;
  ComparedPredictives predictives;
};

// Uses at most 1000 evenly spaced draws of each, with a few in memory at a time.
ComparedNetworks compare_networks(const DrawStream& draws, const DrawStream& reference, const ModelSpec& model,
                                  const Table& test, int ece_bins, int threads);
std::string network_report(const ComparedNetworks& comparison);

}  // namespace pollen::sink
