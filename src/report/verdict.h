// Says in words whether the results of a run can be trusted.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "report/blocks.h"

namespace pollen::report {

struct Judged {
  std::string states = "draws";     // as in summary.json
  std::string status = "complete";  // as in summary.json
  std::vector<stats::ParameterSummary> parameters;
  std::vector<std::string> labels;
  std::vector<std::string> warnings;  // warnings of the run
};

Json verdict(const Judged& run);  // Verdict of web/src/data.ts

}  // namespace pollen::report
