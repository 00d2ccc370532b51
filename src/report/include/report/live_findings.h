// What the draws of a running chain say so far: a summary of every shown parameter and its plots, from those draws that
// its history kept (so an ESS is a lower bound). For the dashboard's thread, which it takes only a share of. Not
// synchronised.
#pragma once

#include <chrono>
#include <vector>

#include "pollen/stats.h"
#include "report/blocks.h"
#include "sink/history.h"
#include "sink/live_feed.h"

namespace pollen::report {

class LiveFindings {
 public:
  void look(const sink::LiveState& state, const sink::LivePlan& plan);  // nothing where it is too early to look again
  void look_again(const sink::LiveState& state, const sink::LivePlan& plan);  // now: at the end

  const std::vector<stats::ParameterSummary>& parameters() const { return parameters_; }  // of plan.parameters, or none
  const Json& plots() const { return plots_; }                   // ParameterPlots of web/src/data.ts, or null
  std::size_t draws() const { return draws_; }                   // a chain, that they are from
  const sink::History& over_time() const { return over_time_; }  // iteration, worst R-hat, least bulk ESS

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<stats::ParameterSummary> parameters_;
  Json plots_;
  std::size_t draws_ = 0;
  std::int64_t seen_ = -1;  // draws offered when it last looked
  sink::History over_time_{3, 400};
  Clock::time_point due_;
};

}  // namespace pollen::report
