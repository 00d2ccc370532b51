// Reads and writes CmdStan's CSV format, which rstan, cmdstanr, cmdstanpy and ArviZ read.
//
// Files are written from a spool, one file per chain, each under a temporary name and then renamed. Their bytes depend
// on the draws and the configuration alone (not on the clock or the number of threads), so equal runs give equal files;
// times are in summary.json. The functions are thread-safe for different files.
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
// Calls `done` with every few numbers that are written.
void write_stan_csv(const std::string& folder, const RunFacts& facts, const SpoolReader& spool,
                    const NumbersDone& done = {});

// One chain read from any CmdStan CSV. Columns whose name ends in "__" are left out, except lp__.
struct StanCsv {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // one per name, all of the same length
  std::vector<double> lp;                    // empty if there is no lp__
  Index rows() const { return columns.empty() ? 0 : static_cast<Index>(columns.front().size()); }
};

// One row of such a file. Rows are numbered from 0, without saved warm-up rows.
struct StanRow {
  Index number = 0;
  double lp = 0;                   // NaN if there is no lp__
  std::span<const double> values;  // one per name
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
// Reads line by line, with one line in memory at a time.
StanCsvShape visit_stan_csv(const std::string& path, const StanRowVisitor& visitor);

// Reads a whole file without saved warm-up rows. Throws ConfigError naming file and row if it is malformed.
StanCsv read_stan_csv(const std::string& path);
StanCsv parse_stan_csv(std::string_view text, const std::string& path);

}  // namespace pollen::sink
