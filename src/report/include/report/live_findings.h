// Summaries and plots of the draws of a run in progress, for the dashboard. They use the draws that the live history
// kept, so an ESS is a lower bound. Used by the dashboard's thread only, of whose time it takes a small share; not
// thread-safe.
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
  // Computes new findings, unless it is too early to look again.
  void look(const sink::LiveState& state, const sink::LivePlan& plan);
  // Computes new findings now; used at the end of the run.
  void look_again(const sink::LiveState& state, const sink::LivePlan& plan);

  // Summaries of plan.parameters, or empty.
  const std::vector<stats::ParameterSummary>& parameters() const { return parameters_; }
  const Json& plots() const { return plots_; }                   // ParameterPlots of web/src/data.ts, or null
  std::size_t draws() const { return draws_; }                   // draws per chain behind the findings
  const sink::History& over_time() const { return over_time_; }  // iteration, worst R-hat, least bulk ESS

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<stats::ParameterSummary> parameters_;
  Json plots_;
  std::size_t draws_ = 0;
  std::int64_t seen_ = -1;  // draws offered at the last look
  sink::History over_time_{3, 400};
  Clock::time_point due_;
};

}  // namespace pollen::report
