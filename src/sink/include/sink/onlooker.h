// Interface of an observer of a run that is being recorded, such as a dashboard. The sampling thread makes the calls,
// so they must be cheap and must not block.
#pragma once

#include "pollen/round.h"
#include "sink/predictive.h"

namespace pollen::sink {

class Onlooker {
 public:
  virtual ~Onlooker() = default;
  virtual void kept(ConstPanelView position) = 0;  // one draw of every chain was kept
  // A row of metrics.csv was written. Scores that are NaN are unknown.
  virtual void scored(std::int64_t iteration, const Counters& counters, double seconds, const Scores& scores) = 0;
  // The state of the run, reported about fifty times a second and after the last iteration.
  struct Look {
    std::int64_t iteration = 0;
    std::int64_t draws = 0;  // kept draws per chain, including earlier processes
    double seconds = 0;      // time of the loop, including earlier processes
    double rhat = 0;         // the worst of all parameters; NaN if unknown
    const Counters& counters;
  };
  virtual void looked(const Look& look) = 0;
};

}  // namespace pollen::sink
