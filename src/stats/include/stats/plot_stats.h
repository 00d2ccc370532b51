// The numbers behind plots of draws: autocorrelations, rank histograms and densities. All functions are pure and use
// all draws.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/stats.h"
#include "pollen/types.h"

namespace pollen::stats {

// Returns the autocorrelations of every chain at lags 0 .. lags-1 (divisor n) as chains × lags values. They are NaN for
// lags beyond the chain's length and for chains that are constant or not finite.
std::vector<double> autocorrelations(const Draws& draws, Index lags);

// Counts, for each chain, the draws whose ranks over all chains fall into each of `bins` equal parts (Vehtari et al.
// 2021). Returns chains × bins counts, all zero if a draw is not finite.
std::vector<std::uint32_t> rank_histograms(const Draws& draws, Index bins);

// Kernel densities of every chain and, last, of all draws together on one common grid: (chains + 1) × points. The grid
// covers all but a thousandth of the draws at each end, plus a margin. The kernels are normal with Scott's bandwidth.
// All values are zero if a draw is not finite or all draws are equal.
struct Densities {
  double low = 0, high = 0;
  std::vector<double> values;
};
Densities densities(const Draws& draws, Index points);

}  // namespace pollen::stats
