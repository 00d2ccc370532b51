// What plots of draws show: autocorrelations, rank histograms, densities. Pure functions of all draws.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/stats.h"
#include "pollen/types.h"

namespace pollen::stats {

// Of every chain at lags 0 .. lags-1, divisor n: chains × lags. NaN where a chain is shorter, not finite or constant.
std::vector<double> autocorrelations(const Draws& draws, Index lags);

// How many draws of each chain have ranks in each of `bins` equal parts of the ranks over all chains (Vehtari et al.
// 2021): chains × bins. All zero where a draw is not finite.
std::vector<std::uint32_t> rank_histograms(const Draws& draws, Index bins);

// Kernel densities of every chain and, last, of all draws together on one grid: (chains + 1) × points. The grid covers
// all but a thousandth of the draws at each end, and a margin; normal kernels with Scott's bandwidth. Only zeros where
// a draw is not finite or all are equal.
struct Densities {
  double low = 0, high = 0;
  std::vector<double> values;
};
Densities densities(const Draws& draws, Index points);

}  // namespace pollen::stats
