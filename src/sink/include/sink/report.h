// The text that `run`, `summary` and `plan` show on a terminal, in UTF-8. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "run/simulated_time.h"
#include "sink/draws.h"
#include "sink/next_commands.h"
#include "sink/stored_summary.h"
#include "sink/summary.h"

namespace pollen::sink {

// Returns a table like stansummary's with small strips of intervals. It has at most `most` rows, and the worst R-hat is
// among them. Coefficients whose exponential has a name get a column for it.
std::string parameter_table(const std::vector<stats::ParameterSummary>& parameters,
                            const std::vector<std::string>& labels, std::size_t most = 20,
                            const std::string& states = "draws", const Ratios& ratios = {});

// Draws a strip of `width` characters over [low, high]: a line from q5 to q95, a dot at the median, a bar at zero.
std::string interval_strip(const stats::ParameterSummary& parameter, double low, double high, std::size_t width);

// Returns the report at the end of a run.
std::string run_report(const Summary& summary, const Ending& ending);

// What `pollen summary` shows: stansummary's columns, in words what is wrong with each parameter, and the verdict. It
// is plain for programs, and has colours and traces for people.
struct SummaryPage {
  std::string folder;
  StoredSummary summary;            // with a verdict; sampler and model are empty if they are not known
  const DrawSet* traced = nullptr;  // the draws, needed for traces; may be null
};

struct SummaryStyle {
  bool colour = false;
  bool traces = false;    // shows a sparkline of every chain, one after the other
  std::size_t width = 0;  // width of the terminal; what does not fit is left out. 0 means no limit
};

std::string summary_text(const SummaryPage& page, const SummaryStyle& style);
std::string summary_json(const SummaryPage& page);

std::string human_duration(double seconds);  // such as "0.42 s", "12 s", "3 min 5 s", "3 h 12 min", "12 d 4 h"
// Such as "80 % sending up, 15 % computing"; omits shares below 1 %.
std::string simulated_shares(const SimulatedTime& time);

}  // namespace pollen::sink
