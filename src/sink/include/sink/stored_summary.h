// Reads JSON back: DIR/summary.json, and references given as `mean` and `covariance`. The functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pollen/scores.h"
#include "pollen/stats.h"
#include "sink/draw_cost.h"
#include "sink/facts.h"

namespace pollen::sink {

// The numbers of a parameter under their names in summary.json, in the order of all tables.
struct SummaryNumber {
  const char* name;
  double stats::ParameterSummary::*value;
};
inline constexpr SummaryNumber kSummaryNumbers[] = {{"mean", &stats::ParameterSummary::mean},
                                                    {"mcse", &stats::ParameterSummary::mcse},
                                                    {"sd", &stats::ParameterSummary::sd},
                                                    {"q5", &stats::ParameterSummary::q5},
                                                    {"q50", &stats::ParameterSummary::q50},
                                                    {"q95", &stats::ParameterSummary::q95},
                                                    {"ess_bulk", &stats::ParameterSummary::ess_bulk},
                                                    {"ess_tail", &stats::ParameterSummary::ess_tail},
                                                    {"rhat", &stats::ParameterSummary::rhat}};

// The name of a number in summary.json and in tables. Estimates have a standard error in place of the posterior's sd.
inline std::string shown_name(const SummaryNumber& number, const std::string& states) {
  const std::string name = number.name;
  if (states != "estimates") return name;
  return name == "mean" ? "estimate" : name == "sd" ? "se" : name;
}

struct StoredSummary {
  std::string status, sampler, model;
  std::string states = "draws";  // R-hat and ESS only judge draws
  std::vector<std::string> names, labels;
  std::vector<stats::ParameterSummary> parameters;
  std::vector<double> covariance;  // d × d, or empty
  std::vector<std::string> warnings;
  std::optional<Verdict> verdict;  // empty in files of earlier builds
  std::string units;               // in what coefficients are measured; empty if there is nothing to say
  Ratios ratios;
  Index chains = 0, draws = 0;
  std::int64_t iterations = 0, burn_in = 0;
  TransitionFacts transitions;
  std::optional<DrawCost> cost;  // what an effective draw has cost; empty if that is not known
  bool coupled = false;
  std::vector<std::vector<double>> last, average;  // mixed-effects models: (φ, β), one list per chain
  std::vector<double> own_covariance;              // of the estimates, in the units of the standardised columns
};

// Returns nothing if there is no such file or it is not a summary of pollen.
std::optional<StoredSummary> read_stored_summary(const std::string& path);

// Returns what a stored summary says of its run, as far as a verdict needs it.
RunFacts facts_of(const StoredSummary& stored);

// Reads {"mean": [...], "covariance": [[...], ...]} or a summary.json. Throws ConfigError if it is neither.
stats::Moments read_moments(const std::string& path);

}  // namespace pollen::sink
