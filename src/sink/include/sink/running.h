// Rough diagnostics for the progress line while the run goes on; those of the summary are in pollen/stats.h. They cost
// almost nothing per kept draw. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/types.h"

namespace pollen::sink {

// The effective sample size, by batch means over batches that grow with the run, corrected for the remaining
// correlation between neighbouring batches, of at most 256 evenly spaced coordinates:
//
//   ESS ≈ N s² / (b v τ),   τ = (1 + ρ)/(1 - ρ)
//
// Here s² is the variance of the draws, v that of the means of batches of b draws, and ρ the correlation of these means
// at lag 1, all within chains.
class RunningEss {
 public:
  RunningEss(Index dimension, Index chains);
  void add(ConstPanelView position);  // adds one kept draw of every chain
  double least() const;               // the least over the followed coordinates; NaN while batches are few or short

 private:
  static constexpr std::size_t kMostBatches = 64, kFollowed = 256;

  double of(std::size_t coordinate) const;
  void merge_batches();
  std::size_t at(std::size_t coordinate, Index chain) const;  // where its series begins in store_

  Index chains_;
  std::vector<Index> followed_;
  // Per series: origin, sum and sum of squares (both from the origin), the open batch's sum, then the batches' sums.
  std::vector<double> store_;
  std::size_t batches_ = 0;
  std::int64_t batch_ = 1, open_ = 0, count_ = 0;  // draws per batch, in the open batch, and in all
};

// R-hat from running sums of the variances between and within chains, without splitting or ranks.
class RunningRhat {
 public:
  RunningRhat(Index dimension, Index chains)
      : origin_(dimension, chains), sum_(dimension, chains), squares_(dimension, chains) {}

  void add(ConstPanelView position);
  double worst() const;  // over all coordinates; NaN with one chain or few draws

 private:
  Panel origin_;  // the first draw of each chain, subtracted to keep the sums well scaled
  Panel sum_, squares_;
  double count_ = 0;
};

}  // namespace pollen::sink
