// The plots of parameters, from all their draws, in a bounded number of bytes (ParameterPlots of web/src/data.ts).
#pragma once

#include <vector>

#include "report/blocks.h"
#include "sink/draws.h"

namespace pollen::report {

// How much of a page one run may take.
struct PlotBudget {
  std::size_t trace = 700'000;   // numbers of all traces together
  std::size_t curves = 260'000;  // of densities, ranks and autocorrelations
};

// Which of `count` to show where not all can be: the worst by R-hat (unknown ones first) and the first, in order.
std::vector<std::size_t> chosen(const std::vector<stats::ParameterSummary>& parameters, std::size_t most);

// How many parameters a budget has room for.
std::size_t room_for_plots(Index chains, const PlotBudget& budget);

// Of draws.values[which[p]]; rows[p] is where the table has it.
Json parameter_plots(const sink::DrawSet& draws, const std::vector<std::size_t>& which,
                     const std::vector<std::size_t>& rows, const PlotBudget& budget, int threads);

}  // namespace pollen::report
