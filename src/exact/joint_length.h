// Learns how long trajectories should be, from the parameters of the server. Over a trajectory parameter j makes the
// squared jump Δ_j²; E Δ_j²/2Var_j is 1 less the correlation of successive draws, as in the expected squared jump of
// Pasarica and Gelman (2010). The length grows while this is below a target for the parameter where it is least, which
// has the fewest effective draws, and shrinks while it is above; of many parameters it goes by the tenth that jump
// least. Climbing the jump's gradient instead would stop where the fast parameters jump furthest, however slow the
// others are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/math.h"
#include "pollen/archive.h"

namespace pollen::exact {

class JointLength {
 public:
  JointLength(double length, std::size_t dimension)
      : log_length_(math::log(length)), average_(log_length_), jumps_(dimension) {}

  double length() const { return math::exp(log_length_); }
  void learn(std::span<const double> jumps);  // Δ_j²/2Var_j in the last iteration, a mean over chains
  void finish() { log_length_ = average_; }
  void archive(Archive& archive);

 private:
  double log_length_, average_;
  std::vector<double> jumps_;  // running means
  double count_ = 0;
};

}  // namespace pollen::exact
