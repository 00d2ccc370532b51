// What the draws of a running chain say so far: a summary of every shown parameter, from those that its history kept.
// Of thinned draws, so an ESS is a lower bound. Computed on the dashboard's thread, never for more than a share of its
// time. Not synchronised.
#pragma once

#include <chrono>
#include <vector>

#include "history.h"
#include "live_feed.h"
#include "pollen/stats.h"

namespace pollen::sink {

class LiveDiagnostics {
 public:
  void look(const LiveState& state, const LivePlan& plan);  // nothing where it is too early to compute again

  const std::vector<stats::ParameterSummary>& parameters() const { return parameters_; }  // of plan.parameters, or none
  std::size_t draws() const { return draws_; }                                            // a chain, that they are from
  const History& over_time() const { return over_time_; }  // iteration, worst R-hat, least bulk ESS

 private:
  using Clock = std::chrono::steady_clock;
  void compute(const LiveState& state, const LivePlan& plan);

  std::vector<stats::ParameterSummary> parameters_;
  std::size_t draws_ = 0;
  std::int64_t seen_ = -1;  // draws offered when it was last computed
  History over_time_{3, 400};
  Clock::time_point due_;
};

// Draws of shown parameter p: chain after chain, every `step`-th of those kept.
std::vector<double> draws_of(const History& trace, std::size_t p, std::size_t chains, std::size_t step = 1);

}  // namespace pollen::sink
