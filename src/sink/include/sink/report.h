// What `run` and `summary` show: text for a terminal, UTF-8. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "sink/summary.h"

namespace pollen::sink {

// The table of stansummary, with small intervals beside it. At most `most` rows, the worst R-hat among them.
std::string parameter_table(const std::vector<stats::ParameterSummary>& parameters,
                            const std::vector<std::string>& labels, std::size_t most = 20);

// The columns of that table before the strip, and a parameter's cells in them.
std::vector<std::string> parameter_columns();
std::vector<std::string> parameter_cells(const stats::ParameterSummary& parameter, const std::string& label);
// What the strips of several parameters have in common.
struct StripRange {
  double low = 0, high = 0;  // zero is always in it
};
StripRange strip_range(const std::vector<stats::ParameterSummary>& parameters);

inline constexpr const char* kStripName = "q5 ─ q50 ● q95";
inline constexpr std::size_t kStripWidth = 25;

// A strip `width` characters wide over [low, high]: q5 to q95 as a line, the median as a dot, zero as a bar.
std::string interval_strip(const stats::ParameterSummary& parameter, double low, double high, std::size_t width);

// The report at the end of a run. `folder` as the user may type it.
std::string run_report(const Summary& summary, const std::string& folder, const std::vector<std::string>& files);

}  // namespace pollen::sink
