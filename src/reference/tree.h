// One transition of the no-U-turn sampler with multinomial weights (Hoffman and Gelman 2014; Betancourt 2017, appendix
// A). Objects are not thread-safe and allocate only when they are built.
//
// A tree is a piece of a trajectory in order of time. It keeps its two ends, the sum of its momenta, the log of its
// total weight Σ exp(H_0 - H), and one of its states, drawn with probability proportional to the weights. Two
// neighbouring pieces join into one. The trajectory doubles, forwards or backwards, until it turns back on itself,
// diverges, or reaches max_depth doublings.
#pragma once

#include <vector>

#include "kernel.h"
#include "target.h"

namespace pollen::reference {

class TreeSampler {
 public:
  // The start of a transition. Its spans are read only while the transition runs.
  struct Start {
    std::span<const double> position, gradient, inverse_mass;
    double value = 0;
    double step = 0;
    Stream momentum, choices;
  };
  TreeSampler(Index dimension, int max_depth);
  TreeSampler(const TreeSampler&) = delete;  // trees are views into storage_
  TreeSampler& operator=(const TreeSampler&) = delete;

  Transition sample(const Target& target, const Start& start, Scratch& scratch);
  // The state that the last transition selected.
  std::span<const double> position() const { return trees_.front().position; }
  std::span<const double> gradient() const { return trees_.front().gradient; }
  double value() const { return trees_.front().value; }

 private:
  struct Tree {
    std::span<double> first_momentum, first_velocity, last_momentum, last_velocity, sum, position, gradient;
    double value = 0, energy = 0, log_weight = 0;
  };
  struct Edge {
    std::span<double> position, momentum, gradient;
  };
  // State of the transition in progress.
  struct Now {
    const Target* target = nullptr;
    Start start;
    Scratch* scratch = nullptr;
    double energy = 0;   // H_0
    double accepts = 0;  // Σ min(1, exp(H_0 - H))
    Transition result;
  };

  void begin(Now& now);
  bool build(Now& now, Sequence& choices, std::size_t slot, int depth, bool forward);
  bool leaf(Now& now, Tree& tree, Edge& edge, double step);
  static bool straight(const Tree& earlier, const Tree& later);
  static void join(Tree& tree, const Tree& added, bool forward);
  static void take(Tree& tree, const Tree& other);
  std::span<double> column(Index c) { return storage_.column(c); }

  int max_depth_;
  Panel storage_;
  std::vector<Tree> trees_;  // [0] is the trajectory, [1] its extension, and the rest one per level below
  Edge backward_, forward_;
};

}  // namespace pollen::reference
