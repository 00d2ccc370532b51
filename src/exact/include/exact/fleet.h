// A Fleet moves several chains by exchanges. In every exchange each chain that has not finished its part asks for one
// position; a chain that has completed a transition begins the next one in the next exchange, without waiting for the
// others. What a chain does depends on its own number, its own start and the answers alone. Not thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "exact/exact.h"

namespace pollen::exact {

class Chain;

class Fleet {
 public:
  explicit Fleet(const Setup& setup, double temperature = 1);
  ~Fleet();
  Fleet(Fleet&&) noexcept;

  void start(ConstPanelView position);
  // Makes exchanges until every chain has completed one more transition. Throws NumericError if a start has no finite
  // potential, or if no step of the leapfrog suits a chain.
  void advance(Posterior& posterior, Counters& counters);

  Index chains() const { return position_.columns(); }
  std::int64_t iteration() const { return iteration_; }
  ConstPanelView position() const { return position_; }
  std::span<const double> potentials() const { return potential_; }  // U/T at position()
  std::span<const Transition> transitions() const { return transitions_; }
  // Saves or loads the chains as their last complete transitions left them. Trajectories that are under way are made
  // again, from the same random numbers.
  void archive(Archive& archive);

 private:
  // The outcome of a transition that has not been taken by advance() yet.
  struct Done {
    std::vector<double> position;
    double potential = 0;
    Transition transition;
  };
  struct Member;

  bool rests(const Member& member) const;
  void exchange(Posterior& posterior, Counters& counters);
  void tell(Member& member, double potential, std::span<const double> gradient);
  void take_turn();

  Index ahead_;
  std::int64_t last_;
  std::vector<Member> members_;
  std::int64_t iteration_ = 0;
  Panel position_;
  std::vector<double> potential_;
  std::vector<Transition> transitions_;
  Panel at_, answer_;                // of an exchange, one column per chain that asks
  std::vector<std::size_t> asking_;  // their chains
  std::vector<double> no_gradient_;  // zeros
};

}  // namespace pollen::exact
