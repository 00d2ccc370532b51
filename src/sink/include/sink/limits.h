// The limits of R-hat and ESS, and words for the parameters that are past them. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"

namespace pollen::sink {

inline constexpr double kMostRhat = 1.01, kLeastEss = 400;

// Returns what is wrong with a parameter's draws, in a few words each; empty if nothing is.
std::vector<std::string> faults_of(const stats::ParameterSummary& parameter);

// The extremes of R-hat and ESS over parameters. Numbers that cannot be computed are left out.
struct Extremes {
  double rhat = 0, ess_bulk = 1e300, ess_tail = 1e300;
  double ess() const { return ess_bulk < ess_tail ? ess_bulk : ess_tail; }
};
Extremes extremes_of(const std::vector<stats::ParameterSummary>& parameters);

// Returns roughly the value that the largest of n standard normals stays below in 99 of 100 cases.
double chance_limit(std::size_t n);

// Describes draws with R-hat above 1.01 or ESS below 400, in one line each that names the worst parameter.
std::vector<std::string> diagnose(const std::vector<stats::ParameterSummary>& parameters,
                                  const std::vector<std::string>& labels);

// Whether a parameter is an intercept, by its label.
bool is_intercept(const std::string& label);

// Whether a parameter is the logarithm of a scale of the model. A coefficient of a column such as log_income is none.
bool is_log_scale(const std::string& label);

// Describes estimates in one line if R-hat is above 1.01 for one of `which` and halves of the chains differ by more
// than a hundredth of the mean (for log σ, by more than 0.01); otherwise the text is empty. A path that never moves
// counts as settled.
std::string unsettled(const std::vector<stats::ParameterSummary>& parameters, const std::vector<std::string>& labels,
                      const std::vector<std::size_t>& which);

}  // namespace pollen::sink
