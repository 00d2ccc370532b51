// Adaptation of a Hamiltonian sampler in its warm-up. Each chain learns its own step, by dual averaging (Hoffman and
// Gelman 2014), and its own diagonal mass matrix, over windows that double in length (the schedule of Stan's manual).
// Both are frozen after the warm-up. Objects are not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::reference {

// Finds a step ε with a wanted acceptance rate: log ε_{t+1} = μ - √t/γ · s̄_t, where s̄_t averages (target - accept).
// The result is the average of log ε, with weights that favour late t.
struct DualAveraging {
  double target = 0.8;
  double centre = 0;   // μ
  double error = 0;    // s̄
  double average = 0;  // average of log ε
  double count = 0;    // t

  void restart(double step);
  double learn(double accept);  // Returns the step to try next.
  double final_step() const;
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
  // Sets the step to continue from. Call it at the start and whenever the mass has changed.
  void restart(Index chain, double step);
  // Learns from all chains after iteration `iteration` (counted from 0); after the warm-up it does nothing. Returns
  // true if the mass changed, in which case the caller must find new steps.
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
  std::vector<std::int64_t> ends_;  // iterations at which windows end; after the last one only the step is learned
  std::vector<DualAveraging> averaging_;
  std::vector<double> step_;
  Panel inverse_mass_;
  std::int64_t seen_ = 0;  // positions seen in the current window
  Panel mean_, square_;    // Welford's mean and sum of squares of these positions
};

}  // namespace pollen::reference
