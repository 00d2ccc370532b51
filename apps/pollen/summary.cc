#include "sink/summary.h"

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

// Replaces the stored values by values computed from the draws.
void add_draws(const sink::DrawSet& draws, sink::StoredSummary& summary) {
  if (summary.states == "estimates") return;  // the rows are a path, whose spread says nothing
  summary.names = draws.names;
  summary.labels = draws.labels;
  summary.parameters = sink::summarize(draws, sink::sensible_threads(0));
  summary.chains = draws.chains;
  summary.draws = draws.length;
  std::vector<std::string> warnings = draws.notes;
  // The diagnostics apply to posterior draws only; for other states the run's own warnings are shown.
  const bool judged = summary.states == "draws";
  for (const std::string& line : judged ? sink::diagnose(summary.parameters, draws.labels) : summary.warnings)
    warnings.push_back(line);
  if (judged)
    for (std::string& line : sink::diagnose(summary.transitions)) warnings.push_back(std::move(line));
  summary.warnings = std::move(warnings);
}

}  // namespace

int summary_command(const SummaryOptions& options) {
  const std::string& folder = options.folder;
  if (!std::filesystem::is_directory(folder))
    throw ConfigError(folder, "found no such folder, accepted: one with draws-1.csv, ... or CmdStan's CSVs");
  const auto stored = sink::read_stored_summary(sink::RunFolder(folder).summary());
  // The run's own summary is all there is if it kept no draws.
  sink::SummaryPage page{folder, stored.value_or(sink::StoredSummary())};
  sink::DrawSet draws;
  if (!stored || !sink::draw_files(folder).empty()) {
    draws = sink::read_draws(folder);
    if (draws.length == 0) throw ConfigError(folder, "found no draws in its files, accepted: at least one per chain");
    add_draws(draws, page.summary);
    page.traced = &draws;
  }
  const bool terminal = stdout_is_terminal();
  const sink::SummaryStyle style{wants_colour(), terminal || options.sparkline,
                                 terminal ? static_cast<std::size_t>(stdout_width()) : 0};
  print(options.json ? sink::summary_json(page) : sink::summary_text(page, style));
  return kDone;
}

}  // namespace pollen::app
