// Parts of the diagnostics that share a sorted copy of the draws or their normal scores (Vehtari et al. 2021). All
// functions are pure.
#pragma once

#include <span>

#include "pollen/stats.h"
#include "split_chains.h"

namespace pollen::stats {

// Tells whether there are draws and all are finite. Other draws get no diagnostics, not even rank-based ones, because
// an infinite draw means that a chain went wrong. Throws std::invalid_argument if the chains differ in length.
bool usable(const Draws& draws);

// `scores` are the normal scores of the split draws; `sorted` holds all draws in increasing order.
double rhat_of(const Draws& draws, const SplitChains& scores, std::span<const double> sorted);
double tail_ess_of(const Draws& draws, std::span<const double> sorted);

}  // namespace pollen::stats
