// CmdStan's CSV: the files rstan, cmdstanr, cmdstanpy and ArviZ read.
//
// Written from a spool, one file a chain, each under a temporary name and renamed. The bytes depend on the draws and
// the configuration alone (no clock, no thread count), so equal runs give equal files; times are in summary.json.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sink/facts.h"
#include "sink/spool.h"

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

// One row of such a file, and which rows are asked for: numbered from 0, saved warm-up rows left out.
struct StanRow {
  Index number = 0;
  double lp = 0;                   // NaN where there is no lp__
  std::span<const double> values;  // one a name
};
struct StanRowVisitor {
  std::function<bool(Index row)> wants;
  std::function<void(const StanRow& row)> take;
};
struct StanCsvShape {
  std::vector<std::string> names;
  bool has_lp = false;
  Index rows = 0;
};
// Line by line: no more than one is in memory.
StanCsvShape visit_stan_csv(const std::string& path, const StanRowVisitor& visitor);

// ConfigError naming file and row where it is not such a file; saved warm-up rows are left out.
StanCsv read_stan_csv(const std::string& path);
StanCsv parse_stan_csv(std::string_view text, const std::string& path);

}  // namespace pollen::sink
