// Makes the plots of parameters from all their draws, within a limit on bytes (ParameterPlots of web/src/data.ts).
#pragma once

#include <vector>

#include "report/blocks.h"
#include "sink/draws.h"

namespace pollen::report {

// How much of a page one run may take.
struct PlotBudget {
  std::size_t trace = 700'000;   // numbers in all traces together
  std::size_t curves = 260'000;  // numbers in densities, ranks and autocorrelations
};

// Returns how many parameters fit into a budget.
std::size_t room_for_plots(Index chains, const PlotBudget& budget);

// Plots draws.values[which[p]]; rows[p] is that parameter's row in the table.
Json parameter_plots(const sink::DrawSet& draws, const std::vector<std::size_t>& which,
                     const std::vector<std::size_t>& rows, const PlotBudget& budget, int threads);

}  // namespace pollen::report
