// The data of the dashboard's page, made by the dashboard's thread. Not thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "pollen/stats.h"
#include "report/blocks.h"
#include "sink/live_feed.h"
#include "sink/summary.h"

namespace pollen::report {

// Summaries and plots of the draws of a run in progress. They use the draws that the live history kept, so an ESS is a
// lower bound, and take a small share of the thread's time.
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

// How the run ended.
struct LiveEnd {
  sink::RunStatus status = sink::RunStatus::complete;
  std::string words = {};                  // a message for the user; empty if there is nothing to add
  const sink::Summary* summary = nullptr;  // the results; null if the run did not get that far
};

// Returns one line of JSON: a ReportData of web/src/data.ts with one run, whose status is "running" until it ends, and
// under `live` the parts that only a running one has (web/src/live_data.ts). `plan` and `end` may be null.
std::string live_json(const std::string& name, const sink::LivePlan* plan, const sink::LiveState& state,
                      const LiveFindings& findings, const LiveEnd* end);

}  // namespace pollen::report
