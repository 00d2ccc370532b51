// Parts of ReportData (web/src/data.ts) that finished and running runs share.
#pragma once

#include <string>

#include "pollen/stats.h"
#include "report/blocks.h"

namespace pollen::report {

Json versions();  // versions of this build
Json parameter_row(const std::string& name, const std::string& label, const stats::ParameterSummary& summary);

}  // namespace pollen::report
