// Whether a run can be believed, in words.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "report/blocks.h"

namespace pollen::report {

struct Judged {
  std::string states = "draws";     // as summary.json has it
  std::string status = "complete";  // likewise
  std::vector<stats::ParameterSummary> parameters;
  std::vector<std::string> labels;
  std::vector<std::string> warnings;  // of the run
};

Json verdict(const Judged& run);  // Verdict of web/src/data.ts

}  // namespace pollen::report
