// Reads the draws of a finished run, or of any CmdStan CSVs, for `summary` and `compare`.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"

namespace pollen::sink {

struct DrawSet {
  std::vector<std::string> names;           // such as theta.1
  std::vector<std::string> labels;          // readable names from summary.json, otherwise the names
  std::vector<std::vector<double>> values;  // per parameter: chains × length, chain-major
  std::vector<double> lp;                   // chain-major; empty if a file has none or one is not finite
  Index chains = 0;
  Index length = 0;
  bool coupled = false;            // as in summary.json
  std::vector<std::string> notes;  // such as chains of different lengths

  Index dimension() const { return static_cast<Index>(names.size()); }
  stats::Draws of(Index parameter) const { return {values[static_cast<std::size_t>(parameter)], chains}; }
  // Returns at most `most` draws, evenly spaced over all chains, one column per draw.
  Panel thinned(Index most) const;
};

// Reads the CSVs of a folder: draws-1.csv, ... of a pollen run, otherwise every .csv but metrics.csv. Throws
// ConfigError if there are none.
DrawSet read_draws(const std::string& folder);
DrawSet read_draws_file(const std::string& csv);
std::vector<std::string> draw_files(const std::string& folder);  // in the order of their numbers; may be empty

std::vector<stats::ParameterSummary> summarize(const DrawSet& draws, int threads);

}  // namespace pollen::sink
