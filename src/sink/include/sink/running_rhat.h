// A rough R-hat for the progress line while the run goes on, from running sums of the variances between and within
// chains, without splitting or ranks. The summary's R-hat is that of pollen/stats.h. Not thread-safe.
#pragma once

#include "pollen/types.h"

namespace pollen::sink {

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
