// Runs a configuration to its end and computes the diagnostics that its summary would show.
#pragma once

#include <algorithm>
#include <cmath>

#include "pollen/stats.h"
#include "support/problems.h"

namespace pollen::testing {

struct Whole {
  std::vector<stats::ParameterSummary> parameters;
  std::vector<std::string> warnings;
  double worst_rhat = 0, least_ess = 1e300;
  bool finite = true;
};

inline Whole whole_run(const Config& config) {
  Experiment experiment(config, {.threads = 1});
  experiment.prepare();
  Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  Whole out;
  out.warnings = experiment.warnings();
  const auto d = static_cast<std::size_t>(experiment.dimension());
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<double> values;
    for (const auto& chain : collect.draws)
      for (std::size_t k = j; k < chain.size(); k += d) values.push_back(chain[k]);
    out.finite = out.finite && std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
    const auto s = stats::summarize({values, static_cast<Index>(collect.draws.size())});
    out.worst_rhat = std::max(out.worst_rhat, s.rhat);
    out.least_ess = std::min({out.least_ess, s.ess_bulk, s.ess_tail});
    out.parameters.push_back(s);
  }
  return out;
}

}  // namespace pollen::testing
