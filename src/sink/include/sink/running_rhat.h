// R-hat while the run goes on: between-chain and within-chain variance from running sums, no split, no ranks. For the
// progress line; the summary's R-hat is the one of pollen/stats.h. Not synchronised.
#pragma once

#include "pollen/types.h"

namespace pollen::sink {

class RunningRhat {
 public:
  RunningRhat(Index dimension, Index chains)
      : origin_(dimension, chains), sum_(dimension, chains), squares_(dimension, chains) {}

  void add(ConstPanelView position);
  double worst() const;  // over coordinates; NaN with one chain or few draws

 private:
  Panel origin_;  // the first draw of each chain, subtracted so that the sums stay well scaled
  Panel sum_, squares_;
  double count_ = 0;
};

}  // namespace pollen::sink
