// What `pollen summary` shows of a run's parameters: the table of stansummary with, in words, what is wrong with each.
// Plain for programs, with colours and traces for people. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "sink/draws.h"

namespace pollen::sink {

struct SummaryPage {
  std::string folder, sampler, model;  // the latter two empty where they are not known
  std::string states = "draws";        // as summary.json says; R-hat and ESS judge draws alone
  std::vector<std::string> names, labels;
  std::vector<stats::ParameterSummary> parameters;
  Index chains = 0, length = 0;
  const DrawSet* draws = nullptr;  // for traces; may be null
  std::vector<std::string> warnings;
};

struct SummaryStyle {
  bool colour = false;
  bool traces = false;    // a sparkline of every chain, one after the other
  std::size_t width = 0;  // of the terminal: what does not fit is left out; 0: no limit
};

// What is wrong with a parameter's draws, a few words each; empty where nothing is.
std::vector<std::string> faults_of(const stats::ParameterSummary& parameter, Index chains);

std::string summary_text(const SummaryPage& page, const SummaryStyle& style);
std::string summary_json(const SummaryPage& page);

}  // namespace pollen::sink
