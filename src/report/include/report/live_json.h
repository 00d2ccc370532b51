// What a dashboard's page is told: a ReportData of web/src/data.ts with one run, whose status is "running" until it
// ends, and under `live` what only a running one has (web/src/live_data.ts). Pure.
#pragma once

#include <string>

#include "report/live_findings.h"
#include "sink/live_feed.h"
#include "sink/summary.h"

namespace pollen::report {

// How it ended.
struct LiveEnd {
  sink::RunStatus status = sink::RunStatus::complete;
  std::string words = {};                  // for people; empty where there is nothing to add
  const sink::Summary* summary = nullptr;  // what was found; null where it did not come to that
};

// `plan` and `end` may be null. One line.
std::string live_json(const std::string& name, const sink::LivePlan* plan, const sink::LiveState& state,
                      const LiveFindings& findings, const LiveEnd* end);

}  // namespace pollen::report
