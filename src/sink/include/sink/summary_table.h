// The table that `pollen summary` shows: stansummary's columns and, in words, what is wrong with each parameter. It is
// plain for programs, and has colours and traces for people. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "sink/draws.h"

namespace pollen::sink {

struct SummaryPage {
  std::string folder, sampler, model;  // sampler and model are empty if they are not known
  std::string states = "draws";        // as in summary.json; R-hat and ESS only judge draws
  std::vector<std::string> names, labels;
  std::vector<stats::ParameterSummary> parameters;
  Index chains = 0, length = 0;
  const DrawSet* draws = nullptr;  // needed for traces; may be null
  std::vector<std::string> warnings;
};

struct SummaryStyle {
  bool colour = false;
  bool traces = false;    // shows a sparkline of every chain, one after the other
  std::size_t width = 0;  // width of the terminal; what does not fit is left out. 0 means no limit
};

// Returns what is wrong with a parameter's draws, in a few words each; empty if nothing is.
std::vector<std::string> faults_of(const stats::ParameterSummary& parameter, Index chains);

std::string summary_text(const SummaryPage& page, const SummaryStyle& style);
std::string summary_json(const SummaryPage& page);

}  // namespace pollen::sink
