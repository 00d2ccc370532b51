// The no-U-turn sampler (Hoffman and Gelman 2014). Chains move one after another, because each decides by itself how
// long its trajectory is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hamiltonian.h"
#include "math/math.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

constexpr Index kColumns = 7;  // vectors per tree

double log_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return high == -std::numeric_limits<double>::infinity() ? high : high + math::log1p(math::exp(low - high));
}

// Returns whether the velocities at both ends still point along the sum of momenta `a + b`.
bool along(std::span<const double> first, std::span<const double> last, std::span<const double> a,
           std::span<const double> b) {
  return math::dot(first, a) + math::dot(first, b) > 0 && math::dot(last, a) + math::dot(last, b) > 0;
}

// One transition with multinomial weights (Betancourt 2017, appendix A). It allocates only when it is built.
//
// A tree is a piece of a trajectory in order of time. It keeps its two ends, the sum of its momenta, the log of its
// total weight Σ exp(H_0 - H), and one of its states, drawn with probability proportional to the weights. Two
// neighbouring pieces join into one. The trajectory doubles, forwards or backwards, until it turns back on itself,
// diverges, or reaches max_depth doublings.
class TreeSampler {
 public:
  // The start of a transition. Its spans are read only while the transition runs.
  struct Start {
    std::span<const double> position, gradient, inverse_mass;
    double value = 0;
    double step = 0;
    Stream momentum, choices;
  };
  TreeSampler(Index dimension, int max_depth)
      : max_depth_(max_depth), storage_(dimension, kColumns * (max_depth + 2) + 6) {
    Index next = 0;
    const auto vector = [&] { return storage_.column(next++); };
    trees_.resize(static_cast<std::size_t>(max_depth) + 2);
    for (Tree& tree : trees_) {
      for (auto* span : {&tree.first_momentum, &tree.first_velocity, &tree.last_momentum, &tree.last_velocity,
                         &tree.sum, &tree.position, &tree.gradient})
        *span = vector();
    }
    for (Edge* edge : {&backward_, &forward_})
      for (auto* span : {&edge->position, &edge->momentum, &edge->gradient}) *span = vector();
  }
  TreeSampler(const TreeSampler&) = delete;  // trees are views into storage_
  TreeSampler& operator=(const TreeSampler&) = delete;

  Transition sample(const Target& target, const Start& start, Scratch& scratch) {
    Now now{&target, start, &scratch, 0, 0, {}};
    begin(now);
    Sequence choices(start.choices);
    Tree& whole = trees_[0];
    const Tree& extension = trees_[1];
    bool going = true;
    while (going && now.result.depth < max_depth_) {
      const bool forward = (choices.next() & 1) != 0;
      if (!build(now, choices, 1, now.result.depth, forward)) break;
      ++now.result.depth;
      // The choice favours the newer half, which is further away from the start.
      if (choices.uniform() < math::exp(std::min(0.0, extension.log_weight - whole.log_weight))) take(whole, extension);
      going = straight(forward ? whole : extension, forward ? extension : whole);
      join(whole, extension, forward);
    }
    now.result.accept = now.accepts / now.result.leapfrogs;
    now.result.step = start.step;
    now.result.energy = whole.energy;
    return now.result;
  }

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

  // Starts a trajectory that consists of one state, which is both of its ends.
  void begin(Now& now) {
    Tree& tree = trees_[0];
    const Start& start = now.start;
    draw_momentum(start.momentum, start.inverse_mass, tree.sum);
    now.energy = start.value + kinetic(tree.sum, start.inverse_mass);
    for (const auto& span : {tree.first_momentum, tree.last_momentum, backward_.momentum, forward_.momentum})
      std::ranges::copy(tree.sum, span.begin());
    for (const auto& span : {tree.position, backward_.position, forward_.position})
      std::ranges::copy(start.position, span.begin());
    for (const auto& span : {tree.gradient, backward_.gradient, forward_.gradient})
      std::ranges::copy(start.gradient, span.begin());
    for (std::size_t j = 0; j < tree.sum.size(); ++j)
      tree.first_velocity[j] = tree.last_velocity[j] = start.inverse_mass[j] * tree.sum[j];
    tree.value = start.value;
    tree.energy = now.energy;
    tree.log_weight = 0;
  }

  // Adds 2^depth states in one direction. Returns false if they turn back or diverge; the piece must then not be used.
  bool build(Now& now, Sequence& choices, std::size_t slot, int depth, bool forward) {
    Tree& tree = trees_[slot];
    if (depth == 0) return leaf(now, tree, forward ? forward_ : backward_, forward ? now.start.step : -now.start.step);
    const Tree& other = trees_[slot + 1];
    if (!build(now, choices, slot, depth - 1, forward) || !build(now, choices, slot + 1, depth - 1, forward))
      return false;
    const bool kept = straight(forward ? tree : other, forward ? other : tree);
    // Within an extension each state is chosen in proportion to its weight.
    const double share = other.log_weight - log_sum(tree.log_weight, other.log_weight);
    if (choices.uniform() < math::exp(share)) take(tree, other);
    join(tree, other, forward);
    return kept;
  }

  bool leaf(Now& now, Tree& tree, Edge& edge, double step) {
    const auto mass = now.start.inverse_mass;
    const Index d = storage_.rows();
    const ConstPanelView q{edge.position.data(), d, 1, d};
    math::axpy(-0.5 * step, edge.gradient, edge.momentum);
    drift(step, mass, edge.momentum, edge.position);
    now.target->gradient(q, {edge.gradient.data(), d, 1, d}, *now.scratch);
    math::axpy(-0.5 * step, edge.gradient, edge.momentum);
    now.target->value(q, {&tree.value, 1}, *now.scratch);
    ++now.result.leapfrogs;

    tree.energy = tree.value + kinetic(edge.momentum, mass);
    if (std::isnan(tree.energy)) tree.energy = std::numeric_limits<double>::infinity();
    tree.log_weight = now.energy - tree.energy;
    now.accepts += tree.log_weight >= 0 ? 1 : math::exp(tree.log_weight);
    if (-tree.log_weight > kDivergence) {
      now.result.divergent = true;
      return false;
    }
    for (const auto& span : {tree.first_momentum, tree.last_momentum, tree.sum})
      std::ranges::copy(edge.momentum, span.begin());
    for (std::size_t j = 0; j < mass.size(); ++j)
      tree.first_velocity[j] = tree.last_velocity[j] = mass[j] * edge.momentum[j];
    std::ranges::copy(edge.position, tree.position.begin());
    std::ranges::copy(edge.gradient, tree.gradient.begin());
    return true;
  }

  // Applies the generalised no-U-turn criterion to the whole piece and to each half extended by the first state of the
  // other. Two straight halves can hide a turn at their seam when the step is near the period of an orbit.
  static bool straight(const Tree& earlier, const Tree& later) {
    return along(earlier.first_velocity, later.last_velocity, earlier.sum, later.sum) &&
           along(earlier.first_velocity, later.first_velocity, earlier.sum, later.first_momentum) &&
           along(earlier.last_velocity, later.last_velocity, later.sum, earlier.last_momentum);
  }

  static void join(Tree& tree, const Tree& added, bool forward) {
    std::ranges::copy(forward ? added.last_momentum : added.first_momentum,
                      (forward ? tree.last_momentum : tree.first_momentum).begin());
    std::ranges::copy(forward ? added.last_velocity : added.first_velocity,
                      (forward ? tree.last_velocity : tree.first_velocity).begin());
    math::add(added.sum, tree.sum);
    tree.log_weight = log_sum(tree.log_weight, added.log_weight);
  }

  static void take(Tree& tree, const Tree& other) {
    std::ranges::copy(other.position, tree.position.begin());
    std::ranges::copy(other.gradient, tree.gradient.begin());
    tree.value = other.value;
    tree.energy = other.energy;
  }

  int max_depth_;
  Panel storage_;
  std::vector<Tree> trees_;  // [0] is the trajectory, [1] its extension, and the rest one per level below
  Edge backward_, forward_;
};

class Nuts final : public HamiltonianKernel {
 public:
  Nuts(const Chains& chains, const ReferenceSettings& settings, Target target)
      : HamiltonianKernel(chains, settings, std::move(target), 0.8),
        tree_(chains.problem.dimension, static_cast<int>(settings.max_depth)) {}

  void iterate(Chains& chains) override {
    for (Index c = 0; c < chains.count(); ++c) move(chains, c);
    learn(chains);
  }

 private:
  void move(Chains& chains, Index chain) {
    const auto c = static_cast<std::size_t>(chain);
    const TreeSampler::Start start{chains.position.column(chain),
                                   gradient_.column(chain),
                                   adaptation_.inverse_mass(chain),
                                   value_[c],
                                   adaptation_.step(chain),
                                   chains.stream(chain, Purpose::momentum),
                                   chains.stream(chain, Purpose::trajectory)};
    transitions_[c] = tree_.sample(target_, start, chains.work.scratch);
    chains.counters.gradients += target_.rows() * transitions_[c].leapfrogs;
    std::ranges::copy(tree_.position(), chains.position.column(chain).begin());
    std::ranges::copy(tree_.gradient(), gradient_.column(chain).begin());
    value_[c] = tree_.value();
  }

  TreeSampler tree_;
};

}  // namespace

KernelPointer make_nuts(const Chains& chains, const ReferenceSettings& settings, Target target) {
  return std::make_unique<Nuts>(chains, settings, std::move(target));
}

}  // namespace pollen::reference
