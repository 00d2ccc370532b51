// What a Hamiltonian sampler learns in its warm-up, chain by chain, and keeps afterwards: the step by dual averaging
// (Hoffman and Gelman 2014) and a diagonal mass matrix over windows that double in length, the schedule of Stan's
// manual.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::reference {

// log ε_{t+1} = μ - √t/γ · s̄_t, s̄_t an average of (target - accept); the answer is the average of log ε weighted to
// late t.
struct DualAveraging {
  double target = 0.8;
  double centre = 0;   // μ
  double error = 0;    // s̄
  double average = 0;  // of log ε
  double count = 0;    // t

  void restart(double step);
  double learn(double accept);  // the step to try next
  double settled() const;
  void archive(Archive& archive);
};

class Adaptation {
 public:
  struct Options {
    std::int64_t warm_up = 1000;
    double target = 0.8;
    bool step = true;
    bool mass = true;
  };
  Adaptation(const Options& options, Index dimension, Index chains);

  double step(Index chain) const { return step_[static_cast<std::size_t>(chain)]; }
  std::span<const double> inverse_mass(Index chain) const { return inverse_mass_.column(chain); }
  bool learns_step() const { return options_.step; }
  // A step to go on from, at the start and whenever the mass has changed.
  void restart(Index chain, double step);
  // Every chain, after iteration `iteration` (from 0) of the warm-up or later, when nothing is learned any more. True
  // where the mass changed: steps must be found anew.
  bool learn(std::int64_t iteration, std::span<const double> accept, ConstPanelView position);
  bool warming(std::int64_t iteration) const {
    return iteration < options_.warm_up && (options_.step || options_.mass);
  }
  void archive(Archive& archive);

 private:
  void learn_steps(bool last, std::span<const double> accept);
  bool learn_mass(std::int64_t iteration, ConstPanelView position);
  void close_window();

  Options options_;
  std::int64_t first_ = 0;          // where the first window opens
  std::vector<std::int64_t> ends_;  // of the windows; the last is followed by steps alone
  std::vector<DualAveraging> averaging_;
  std::vector<double> step_;
  Panel inverse_mass_;
  std::int64_t seen_ = 0;  // positions in the present window
  Panel mean_, square_;    // Welford's sums over them
};

}  // namespace pollen::reference
