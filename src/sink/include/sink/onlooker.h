// Somebody who looks on while a run is recorded (a dashboard). Calls come from the thread that samples: they must be
// cheap and wait for nobody.
#pragma once

#include "pollen/round.h"
#include "sink/predictive.h"

namespace pollen::sink {

class Onlooker {
 public:
  virtual ~Onlooker() = default;
  virtual void kept(ConstPanelView position) = 0;  // a draw of every chain
  // A row of metrics.csv; scores that are NaN are not there.
  virtual void scored(std::int64_t iteration, const Counters& counters, double seconds, const Scores& scores) = 0;
  // Some fifty times a second, and after the last iteration.
  struct Look {
    std::int64_t iteration = 0;
    std::int64_t draws = 0;  // kept, a chain, of earlier processes too
    double seconds = 0;      // of the loop, likewise
    double rhat = 0;         // the worst of all parameters, NaN where unknown
    const Counters& counters;
  };
  virtual void looked(const Look& look) = 0;
};

}  // namespace pollen::sink
