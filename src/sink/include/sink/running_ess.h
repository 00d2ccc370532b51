// A rough effective sample size for the progress line while the run goes on; the summary's ESS is that of
// pollen/stats.h. It uses batch means over batches that grow with the run, corrected for the remaining correlation
// between neighbouring batches, of at most 256 evenly spaced coordinates, so that a kept draw costs almost nothing. Not
// thread-safe.
//
//   ESS ≈ N s² / (b v τ),   τ = (1 + ρ)/(1 - ρ)
//
// Here s² is the variance of the draws, v that of the means of batches of b draws, and ρ the correlation of these means
// at lag 1, all within chains.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/types.h"

namespace pollen::sink {

class RunningEss {
 public:
  RunningEss(Index dimension, Index chains);
  void add(ConstPanelView position);  // adds one kept draw of every chain
  double least() const;               // the least over the followed coordinates; NaN while batches are few or short

 private:
  static constexpr std::size_t kMostBatches = 64, kFollowed = 256;

  double of(std::size_t coordinate) const;
  void merge_batches();
  double* series(std::size_t coordinate, Index chain);
  const double* series(std::size_t coordinate, Index chain) const;

  Index chains_;
  std::vector<Index> followed_;
  // Per series: origin, sum and sum of squares (both from the origin), the open batch's sum, then the batches' sums.
  std::vector<double> store_;
  std::size_t batches_ = 0;
  std::int64_t batch_ = 1, open_ = 0, count_ = 0;  // draws per batch, in the open batch, and in all
};

}  // namespace pollen::sink
