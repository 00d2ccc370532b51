// Counts what can go wrong in the trajectories of nuts and hmc after burn-in, with the criteria of Stan. Every
// transition is counted, also those that thinning drops. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pollen/archive.h"
#include "pollen/client.h"

namespace pollen::sink {

// One chain's transitions after burn-in.
struct ChainTransitions {
  std::int64_t count = 0;
  std::int64_t divergent = 0;  // the energy error was above 1000
  std::int64_t saturated = 0;  // nuts: the tree reached max_depth
  double ebfmi = 0;  // Σ (E_n - E_{n-1})² / Σ (E_n - mean)², NaN if the energy never changes (Betancourt 2016)
};

// What outputs say about the trajectories of a run; empty for samplers without trajectories.
struct TransitionFacts {
  int max_depth = 0;  // nuts only, otherwise 0
  std::vector<ChainTransitions> chains;
};

inline constexpr double kLeastEbfmi = 0.3;

class TransitionTally {
 public:
  TransitionTally(std::int64_t chains, int max_depth);
  void add(std::span<const Transition> transitions);  // one per chain
  TransitionFacts facts() const;
  void archive(Archive& archive);

 private:
  int max_depth_;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> divergent_, saturated_;
  std::vector<double> last_, steps_;    // the last energy, and the sum of squared differences of neighbours
  std::vector<double> mean_, squares_;  // Welford's mean and sum of squares of the energy
};

// Warns as Stan does: any divergence, saturated trees, an E-BFMI below 0.3. One line each.
std::vector<std::string> diagnose(const TransitionFacts& transitions);
// One line of numbers for people; empty without trajectories.
std::string transitions_line(const TransitionFacts& transitions);

}  // namespace pollen::sink
