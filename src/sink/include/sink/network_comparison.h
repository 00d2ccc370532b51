// Two runs of a network: weights whose units can change places are not compared, what they predict is.
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

// Over at most 1000 evenly spaced draws of each, a few in memory at a time.
ComparedNetworks compare_networks(const DrawStream& draws, const DrawStream& reference, const ModelSpec& model,
                                  const Table& test, int ece_bins, int threads);
std::string network_report(const ComparedNetworks& comparison);

}  // namespace pollen::sink
