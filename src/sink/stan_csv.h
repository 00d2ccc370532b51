// CmdStan's CSV: the files rstan, cmdstanr, cmdstanpy and ArviZ read.
//
// Written from a spool, one file a chain, each under a temporary name and renamed. The bytes depend on the draws and
// the configuration alone (no clock, no thread count), so equal runs give equal files; times are in summary.json.
#pragma once

#include <string>
#include <vector>

#include "facts.h"
#include "spool.h"

namespace pollen::sink {

std::string stan_csv_name(Index chain);  // "draws-1.csv" for chain 0
std::string stan_csv_header(const RunFacts& facts, Index chain, std::int64_t draws);
void write_stan_csv(const std::string& folder, const RunFacts& facts, const SpoolReader& spool);

// One chain as read from any CmdStan CSV. Columns whose name ends in "__" are left out, but for lp__.
struct StanCsv {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // one a name, equally long
  std::vector<double> lp;                    // empty where there is no lp__
  Index rows() const { return columns.empty() ? 0 : static_cast<Index>(columns.front().size()); }
};

// ConfigError naming file and row where it is not such a file; saved warm-up rows are left out.
StanCsv read_stan_csv(const std::string& path);
StanCsv parse_stan_csv(std::string_view text, const std::string& path);

}  // namespace pollen::sink
