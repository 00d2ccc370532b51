// Pieces of the diagnostics that share a sorted copy of the draws or their normal scores. Pure.
#pragma once

#include <span>

#include "pollen/stats.h"
#include "split_chains.h"

namespace pollen::stats {

// Whether all draws are finite and there are some. Draws that are not have no diagnostics, not even by ranks: an
// infinite draw is a chain gone wrong. Throws std::invalid_argument where the chains are not of one length.
bool usable(const Draws& draws);

// `scores` are the split draws' normal scores, `sorted` all draws in order.
double rhat_of(const Draws& draws, const SplitChains& scores, std::span<const double> sorted);
double tail_ess_of(const Draws& draws, std::span<const double> sorted);

}  // namespace pollen::stats
