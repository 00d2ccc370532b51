// The no-U-turn sampler (Hoffman and Gelman 2014) with multinomial weights (Betancourt 2017, appendix A).
//
// A tree is a piece of a trajectory in order of time. It keeps its two ends, the sum of its momenta, the log of its
// total weight Σ exp(H_0 - H), and one of its states, drawn with probability proportional to the weights. Two
// neighbouring pieces join into one. The trajectory doubles, forwards or backwards, until it turns back on itself,
// diverges, or reaches max_depth doublings.
//
// A doubling adds its states one by one. Finished pieces wait on a stack: the n-th state is a piece of its own, and the
// last two pieces join as often as n can be halved. That is the order in which the recursive algorithm joins them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/math.h"
#include "trajectory.h"

namespace pollen::exact {

namespace {

constexpr Index kVectorsOfTree = 7, kVectorsOfEdges = 6;

double log_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return high == -std::numeric_limits<double>::infinity() ? high : high + math::log1p(math::exp(low - high));
}

// Returns whether the velocities at both ends still point along the sum of momenta `a + b`.
bool along(std::span<const double> first, std::span<const double> last, std::span<const double> a,
           std::span<const double> b) {
  return math::dot(first, a) + math::dot(first, b) > 0 && math::dot(last, a) + math::dot(last, b) > 0;
}

struct Tree {
  std::span<double> first_momentum, first_velocity, last_momentum, last_velocity, sum, position, gradient;
  double potential = 0, energy = 0, log_weight = 0;
};

// An end of the trajectory, from where it goes on.
struct Edge {
  std::span<double> position, momentum, gradient;
};

// Applies the generalised no-U-turn criterion to the whole piece and to each half extended by the first state of the
// other. Two straight halves can hide a turn at their seam when the step is near the period of an orbit.
bool straight(const Tree& earlier, const Tree& later) {
  return along(earlier.first_velocity, later.last_velocity, earlier.sum, later.sum) &&
         along(earlier.first_velocity, later.first_velocity, earlier.sum, later.first_momentum) &&
         along(earlier.last_velocity, later.last_velocity, later.sum, earlier.last_momentum);
}

void join(Tree& tree, const Tree& added, bool forward) {
  std::ranges::copy(forward ? added.last_momentum : added.first_momentum,
                    (forward ? tree.last_momentum : tree.first_momentum).begin());
  std::ranges::copy(forward ? added.last_velocity : added.first_velocity,
                    (forward ? tree.last_velocity : tree.first_velocity).begin());
  math::add(added.sum, tree.sum);
  tree.log_weight = log_sum(tree.log_weight, added.log_weight);
}

void take(Tree& tree, const Tree& other) {
  std::ranges::copy(other.position, tree.position.begin());
  std::ranges::copy(other.gradient, tree.gradient.begin());
  tree.potential = other.potential;
  tree.energy = other.energy;
}

class Nuts final : public Trajectory {
 public:
  Nuts(Index dimension, int max_depth)
      : max_depth_(max_depth), storage_(dimension, kVectorsOfTree * (max_depth + 2) + kVectorsOfEdges) {
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
  Nuts(const Nuts&) = delete;  // trees are views into storage_
  Nuts& operator=(const Nuts&) = delete;

  // Starts a trajectory that consists of one state, which is both of its ends.
  void begin(const Departure& departure, const Streams& streams) override {
    mass_ = departure.inverse_mass;
    step_ = departure.step;
    choices_ = Sequence(streams.trajectory);
    result_ = {};
    accepts_ = fall_ = 0;
    Tree& tree = trees_[0];
    draw_momentum(streams.momentum, mass_, tree.sum);
    start_energy_ = departure.from.potential + kinetic(tree.sum, mass_);
    for (const auto& span : {tree.first_momentum, tree.last_momentum, backward_.momentum, forward_.momentum})
      std::ranges::copy(tree.sum, span.begin());
    for (const auto& span : {tree.position, backward_.position, forward_.position})
      std::ranges::copy(departure.from.position, span.begin());
    for (const auto& span : {tree.gradient, backward_.gradient, forward_.gradient})
      std::ranges::copy(departure.from.gradient, span.begin());
    for (std::size_t j = 0; j < tree.sum.size(); ++j)
      tree.first_velocity[j] = tree.last_velocity[j] = mass_[j] * tree.sum[j];
    tree.potential = departure.from.potential;
    tree.energy = start_energy_;
    tree.log_weight = 0;
    extend();
  }

  std::span<const double> asks() const override { return edge().position; }

  bool hear(double potential, std::span<const double> gradient) override {
    if (!add_state(potential, gradient)) return finish();
    if (states_ < std::int64_t{1} << result_.depth) {
      move();
      return false;
    }
    ++result_.depth;
    if (!add_extension() || result_.depth == max_depth_) return finish();
    extend();
    return false;
  }

  Place place() const override { return {trees_[0].position, trees_[0].gradient, trees_[0].potential}; }
  const Transition& result() const override { return result_; }
  double fall() const override { return fall_; }

 private:
  const Edge& edge() const { return ahead_ ? forward_ : backward_; }
  double signed_step() const { return ahead_ ? step_ : -step_; }

  // Begins to double the trajectory.
  void extend() {
    ahead_ = (choices_.next() & 1) != 0;
    states_ = 0;
    pieces_ = 0;
    move();
  }

  // Makes the first half of a leapfrog step, up to the position at which the gradient is needed.
  void move() {
    math::axpy(-0.5 * signed_step(), edge().gradient, edge().momentum);
    drift(signed_step(), mass_, edge().momentum, edge().position);
  }

  // Completes the step to a new state and joins the pieces that are complete with it. Returns false if the state
  // diverges or a piece turns back; the extension must then not be used.
  bool add_state(double potential, std::span<const double> gradient) {
    Tree& tree = trees_[++pieces_];
    const Edge& at = edge();
    std::ranges::copy(gradient, at.gradient.begin());
    math::axpy(-0.5 * signed_step(), at.gradient, at.momentum);
    ++result_.leapfrogs;
    ++states_;
    tree.potential = potential;
    tree.energy = energy_of(potential, at.momentum, mass_);
    tree.log_weight = start_energy_ - tree.energy;
    fall_ = std::max(fall_, tree.log_weight);
    accepts_ += tree.log_weight >= 0 ? 1 : math::exp(tree.log_weight);
    result_.divergent = -tree.log_weight > kDivergence;
    if (result_.divergent) return false;
    for (const auto& span : {tree.first_momentum, tree.last_momentum, tree.sum})
      std::ranges::copy(at.momentum, span.begin());
    for (std::size_t j = 0; j < mass_.size(); ++j)
      tree.first_velocity[j] = tree.last_velocity[j] = mass_[j] * at.momentum[j];
    std::ranges::copy(at.position, tree.position.begin());
    std::ranges::copy(at.gradient, tree.gradient.begin());
    for (std::int64_t n = states_; n % 2 == 0; n /= 2)
      if (!join_last_pieces()) return false;
    return true;
  }

  // Within an extension each state is chosen in proportion to its weight. Returns whether the new piece is straight.
  bool join_last_pieces() {
    const Tree& other = trees_[pieces_--];
    Tree& tree = trees_[pieces_];
    const bool kept = straight(ahead_ ? tree : other, ahead_ ? other : tree);
    const double share = other.log_weight - log_sum(tree.log_weight, other.log_weight);
    if (choices_.uniform() < math::exp(share)) take(tree, other);
    join(tree, other, ahead_);
    return kept;
  }

  // Joins the complete extension to the trajectory. The choice favours the newer half, which is further away from the
  // start. Returns whether the trajectory is still straight.
  bool add_extension() {
    Tree& whole = trees_[0];
    const Tree& extension = trees_[1];
    if (choices_.uniform() < math::exp(std::min(0.0, extension.log_weight - whole.log_weight))) take(whole, extension);
    const bool going = straight(ahead_ ? whole : extension, ahead_ ? extension : whole);
    join(whole, extension, ahead_);
    return going;
  }

  bool finish() {
    result_.accept = accepts_ / result_.leapfrogs;
    result_.step = step_;
    result_.energy = trees_[0].energy;
    return true;
  }

  int max_depth_;
  Panel storage_;
  std::vector<Tree> trees_;  // [0] is the trajectory; [1] to [pieces_] are the stack of its extension's pieces
  Edge backward_, forward_;
  std::span<const double> mass_;
  double step_ = 0, start_energy_ = 0;
  Sequence choices_{Stream{}};
  bool ahead_ = true;        // the direction of the extension
  std::int64_t states_ = 0;  // of the extension so far
  std::size_t pieces_ = 0;
  double accepts_ = 0;  // Σ min(1, exp(H_0 - H))
  double fall_ = 0;     // the largest H_0 - H
  Transition result_;
};

}  // namespace

std::unique_ptr<Trajectory> make_nuts(const Setup& setup) {
  return std::make_unique<Nuts>(setup.dimension, static_cast<int>(setup.settings.max_depth));
}

}  // namespace pollen::exact
