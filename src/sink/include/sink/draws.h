// Draws of a finished run, or of anybody's CmdStan CSVs, as `summary` and `compare` read them.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"

namespace pollen::sink {

struct DrawSet {
  std::vector<std::string> names;           // theta.1, ...
  std::vector<std::string> labels;          // readable names where summary.json has them, else the names
  std::vector<std::vector<double>> values;  // one a parameter: chains × length, chain-major
  std::vector<double> lp;                   // chain-major; empty where a file has none, or it is not finite
  Index chains = 0;
  Index length = 0;
  bool coupled = false;            // as summary.json says
  std::vector<std::string> notes;  // chains of different lengths

  Index dimension() const { return static_cast<Index>(names.size()); }
  stats::Draws of(Index parameter) const { return {values[static_cast<std::size_t>(parameter)], chains}; }
  // At most `most` draws, evenly spaced over all chains, a column a draw.
  Panel thinned(Index most) const;
};

// The CSVs of a folder: draws-1.csv, ... of ours, or else every .csv but metrics.csv. ConfigError where there are none.
DrawSet read_draws(const std::string& folder);
DrawSet read_draws_file(const std::string& csv);
std::vector<std::string> draw_files(const std::string& folder);  // in the order of their numbers; may be empty

std::vector<stats::ParameterSummary> summarize(const DrawSet& draws, int threads);

}  // namespace pollen::sink
