// What is read back from JSON: DIR/summary.json, and references given as `mean` and `covariance`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/scores.h"
#include "pollen/stats.h"

namespace pollen::sink {

struct StoredSummary {
  std::string status, sampler, model, states;
  std::vector<std::string> names, labels;
  std::vector<stats::ParameterSummary> parameters;
  std::vector<double> covariance;  // d × d, or empty
  std::vector<std::string> warnings;
  Index chains = 0, draws = 0;
  bool coupled = false;
  std::vector<std::vector<double>> last, average;  // mixed-effects models: (φ, β), a list a chain
};

// Empty where there is no such file or it is not a summary of ours.
std::optional<StoredSummary> read_stored_summary(const std::string& path);

// {"mean": [...], "covariance": [[...], ...]}; a summary.json will do as well. ConfigError where it is neither.
stats::Moments read_moments(const std::string& path);

}  // namespace pollen::sink
