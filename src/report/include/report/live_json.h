// Makes the data of the dashboard's page: a ReportData of web/src/data.ts with one run, whose status is "running" until
// it ends, and under `live` the parts that only a running one has (web/src/live_data.ts). The function is pure.
#pragma once

#include <string>

#include "report/live_findings.h"
#include "sink/live_feed.h"
#include "sink/summary.h"

namespace pollen::report {

// How the run ended.
struct LiveEnd {
  sink::RunStatus status = sink::RunStatus::complete;
  std::string words = {};                  // a message for the user; empty if there is nothing to add
  const sink::Summary* summary = nullptr;  // the results; null if the run did not get that far
};

// Returns one line of JSON. `plan` and `end` may be null.
std::string live_json(const std::string& name, const sink::LivePlan* plan, const sink::LiveState& state,
                      const LiveFindings& findings, const LiveEnd* end);

}  // namespace pollen::report
