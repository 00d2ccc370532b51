// One chain of an exact kernel as a state machine. It is always at a question: it needs the potential at asks(), and
// goes on when it hears it. First it looks at its start, then it searches for a first step of the leapfrog, and then
// its trajectories follow one another, with further searches whenever the mass has changed. Not thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "adaptation.h"
#include "exact/exact.h"
#include "step_search.h"
#include "trajectory.h"

namespace pollen::exact {

class Chain {
 public:
  Chain(const Setup& setup, std::uint32_t number, double temperature);

  void start(std::span<const double> position);
  std::span<const double> asks() const;
  // Goes on with the potential and its gradient at asks(). Returns whether a transition is complete with it; the
  // functions below then describe its outcome.
  bool hear(double potential, std::span<const double> gradient);

  std::int64_t iteration() const { return iteration_; }  // complete transitions
  std::span<const double> position() const { return position_; }
  double potential() const { return potential_; }
  const Transition& transition() const { return transition_; }
  // Saves or loads the chain as its last complete transition left it, and begins what comes next from there.
  void archive(Archive& archive);

 private:
  enum class Doing { looking, searching, travelling };

  void look(double potential, std::span<const double> gradient);
  void complete();
  void go_on();
  Stream stream(Purpose purpose, std::int64_t iteration) const;
  Place place() const { return {position_, gradient_, potential_}; }

  std::uint64_t seed_;
  std::uint32_t number_, client_;
  std::int64_t warm_up_;  // iterations
  bool any_fall_;
  // As the last complete transition left them:
  bool looked_ = false;  // whether potential and gradient are known
  std::int64_t iteration_ = 0;
  std::vector<double> position_, gradient_;
  double potential_ = 0;
  Transition transition_;
  Adaptation adaptation_;
  // What is under way:
  Doing doing_ = Doing::looking;
  StepSearch search_;
  std::unique_ptr<Trajectory> trajectory_;
};

}  // namespace pollen::exact
