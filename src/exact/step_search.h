// Finds a step of the leapfrog at which one step is accepted with probability about 0.8, by doubling or halving
// (Hoffman and Gelman 2014, algorithm 4). It asks for one position per trial. Not thread-safe.
#pragma once

#include <vector>

#include "trajectory.h"

namespace pollen::exact {

class StepSearch {
 public:
  explicit StepSearch(Index dimension);
  // Begins at a place with the step to try first. Every trial draws its momentum from a step of the stream, from 1 on.
  void begin(const Departure& departure, const Stream& stream);
  std::span<const double> asks() const { return position_; }
  // Goes on with the potential at asks() and its gradient. Returns whether step() is found. Throws NumericError if no
  // step suits.
  bool hear(double potential, std::span<const double> gradient);
  double step() const { return departure_.step; }

 private:
  void try_step();

  Departure departure_;
  Stream stream_;
  bool first_ = true;  // the first trial says whether steps grow or shrink
  bool grow_ = false;
  double before_ = 0;  // the energy at the start of the trial
  std::vector<double> position_, momentum_;
};

}  // namespace pollen::exact
