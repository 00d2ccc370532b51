// What `run` and `summary` show: text for a terminal, UTF-8. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "summary.h"

namespace pollen::sink {

// The table of stansummary, with small intervals beside it. At most `most` rows, the worst R-hat among them.
std::string parameter_table(const std::vector<stats::ParameterSummary>& parameters,
                            const std::vector<std::string>& labels, std::size_t most = 20);

// A strip `width` characters wide over [low, high]: q5 to q95 as a line, the median as a dot, zero as a bar.
std::string interval_strip(const stats::ParameterSummary& parameter, double low, double high, std::size_t width);

// The report at the end of a run. `folder` as the user may type it.
std::string run_report(const Summary& summary, const std::string& folder, const std::vector<std::string>& files);

}  // namespace pollen::sink
