// Adaptation of a Hamiltonian chain in its warm-up. The chain learns its step, by dual averaging (Hoffman and Gelman
// 2014), and a diagonal mass matrix, over windows that double in length (the schedule of Stan's manual). Both are
// frozen after the warm-up. Objects are not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::exact {

// The iterations in which masses are learned: windows that open at `first` and end at `ends`. Afterwards only the step
// is learned.
struct Schedule {
  std::int64_t first = 0;
  std::vector<std::int64_t> ends;

  bool has(std::int64_t iteration) const { return !ends.empty() && iteration >= first && iteration < ends.back(); }
  bool closes(std::int64_t iteration) const { return std::ranges::binary_search(ends, iteration + 1); }
};
// Divides a warm-up as Stan does: 75 iterations to reach the bulk of the posterior, windows of 25, 50, 100, ...
// iterations for the mass (the last window takes what is left), and 50 iterations for the final step. A warm-up below
// 150 keeps these proportions with one window; below 20 there is no window.
Schedule schedule(std::int64_t warm_up);

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
  Adaptation(const Options& options, Index dimension);

  double step() const { return step_; }
  std::span<const double> inverse_mass() const { return inverse_mass_; }
  bool learns_step() const { return options_.step; }
  // Whether a step must be found and told to restart() before the chain goes on: at its start, and after the mass has
  // changed.
  bool needs_step() const { return needs_step_; }
  void restart(double step);
  // Learns from iteration `iteration` (counted from 0); after the warm-up it does nothing.
  void learn(std::int64_t iteration, double accept, std::span<const double> position);
  void archive(Archive& archive);

 private:
  bool warming(std::int64_t iteration) const {
    return iteration < options_.warm_up && (options_.step || options_.mass);
  }
  bool learn_mass(std::int64_t iteration, std::span<const double> position);
  void close_window();

  Options options_;
  Schedule windows_;
  DualAveraging averaging_;
  double step_ = 1;
  bool needs_step_;
  std::vector<double> inverse_mass_;
  std::int64_t seen_ = 0;              // positions seen in the current window
  std::vector<double> mean_, square_;  // Welford's mean and sum of squares of these positions
};

}  // namespace pollen::exact
