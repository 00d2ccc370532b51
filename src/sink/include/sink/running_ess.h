// The effective sample size while the run goes on, roughly: batch means over batches that grow with the run, corrected
// for what correlation is left between neighbouring batches. Of at most 256 coordinates, evenly spaced, so that a kept
// draw costs next to nothing. For the progress line; the summary's ESS is the one of pollen/stats.h. Not synchronised.
//
//   ESS ≈ N s² / (b v τ),   τ = (1 + ρ)/(1 - ρ)
//
// with s² the variance of the draws, v that of the means of batches of b, ρ their correlation at lag 1, all within
// chains.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/types.h"

namespace pollen::sink {

class RunningEss {
 public:
  RunningEss(Index dimension, Index chains);
  void add(ConstPanelView position);  // a kept draw of every chain
  double least() const;               // over the coordinates that are followed; NaN while batches are few or short

 private:
  static constexpr std::size_t kMostBatches = 64, kFollowed = 256;

  double of(std::size_t coordinate) const;
  void merge_batches();
  double* series(std::size_t coordinate, Index chain);
  const double* series(std::size_t coordinate, Index chain) const;

  Index chains_;
  std::vector<Index> followed_;
  // A series each: origin, sum, sum of squares (both from the origin), the open batch's sum, then the batches' sums.
  std::vector<double> store_;
  std::size_t batches_ = 0;
  std::int64_t batch_ = 1, open_ = 0, count_ = 0;  // draws of a batch, of the open one, in all
};

}  // namespace pollen::sink
