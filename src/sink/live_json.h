// What a dashboard's page is told: one ReportData of web/src/data.ts with a run whose status is "running", and under
// `live` what only a running one has (web/src/live_data.ts). Pure.
#pragma once

#include <string>

#include "live_diagnostics.h"
#include "live_feed.h"

namespace pollen::sink {

// How it ended.
struct LiveEnd {
  RunStatus status = RunStatus::complete;
  std::string words;  // for people; empty where there is nothing to add
};

// `plan` and `end` may be null. One line.
std::string live_json(const std::string& name, const LivePlan* plan, const LiveState& state,
                      const LiveDiagnostics& diagnostics, const LiveEnd* end);

}  // namespace pollen::sink
