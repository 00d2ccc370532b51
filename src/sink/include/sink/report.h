// The text that `run` and `summary` show on a terminal, in UTF-8. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "sink/summary.h"

namespace pollen::sink {

// Returns a table like stansummary's with small strips of intervals. It has at most `most` rows, and the worst R-hat is
// among them.
std::string parameter_table(const std::vector<stats::ParameterSummary>& parameters,
                            const std::vector<std::string>& labels, std::size_t most = 20);

// Return the columns of that table before the strip, and a parameter's cells in them.
std::vector<std::string> parameter_columns();
std::vector<std::string> parameter_cells(const stats::ParameterSummary& parameter, const std::string& label);
// The range that the strips of several parameters share.
struct StripRange {
  double low = 0, high = 0;  // always contains zero
};
StripRange strip_range(const std::vector<stats::ParameterSummary>& parameters);

inline constexpr const char* kStripName = "q5 ─ q50 ● q95";
inline constexpr std::size_t kStripWidth = 25;

// Draws a strip of `width` characters over [low, high]: a line from q5 to q95, a dot at the median, a bar at zero.
std::string interval_strip(const stats::ParameterSummary& parameter, double low, double high, std::size_t width);

// Returns the report at the end of a run. `folder` is written as the user may type it.
std::string run_report(const Summary& summary, const std::string& folder, const std::vector<std::string>& files);

}  // namespace pollen::sink
