#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "pollen/errors.h"
#include "sink/draws.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "sink/report.h"
#include "sink/stored_summary.h"
#include "terminal.h"

namespace pollen::app {

namespace {

constexpr std::size_t kAll = static_cast<std::size_t>(-1);

void print_warnings(const std::vector<std::string>& warnings) {
  if (!warnings.empty()) print("\n");
  for (const std::string& line : warnings) print("  warning: " + line + '\n');
}

// A run whose draws were not asked for still has its summary.
bool print_stored(const std::string& folder) {
  const auto stored = sink::read_stored_summary(sink::RunFolder(folder).summary());
  if (!stored) return false;
  print(fmt::format("{}: {}, {} model, {} chains × {} draws\n\n", folder, stored->sampler, stored->model,
                    stored->chains, stored->draws));
  print(sink::parameter_table(stored->parameters, stored->labels, kAll));
  print_warnings(stored->warnings);
  return true;
}

}  // namespace

int summary_command(const std::string& folder) {
  if (!std::filesystem::is_directory(folder))
    throw ConfigError(folder, "found no such folder, accepted: one with draws-1.csv, ... or CmdStan's CSVs");
  if (sink::draw_files(folder).empty() && print_stored(folder)) return kDone;
  const sink::DrawSet draws = sink::read_draws(folder);
  if (draws.length == 0) throw ConfigError(folder, "found no draws in its files, accepted: at least one a chain");
  const auto parameters = sink::summarize(draws, sink::sensible_threads(0));
  print(fmt::format("{}: {} chains × {} draws\n\n", folder, draws.chains, draws.length));
  print(sink::parameter_table(parameters, draws.labels, kAll));
  auto warnings = draws.notes;
  const auto stored = sink::read_stored_summary(sink::RunFolder(folder).summary());
  const bool sampled = !stored || stored->states == "draws";  // else the run has said what there is to say
  for (const std::string& line : sampled ? sink::diagnose(parameters, draws.labels) : stored->warnings)
    warnings.push_back(line);
  print_warnings(warnings);
  return kDone;
}

}  // namespace pollen::app
