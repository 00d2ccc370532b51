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

// Fills the page from the run's own summary. It is all there is if the run kept no draws.
sink::SummaryPage stored_page(const std::string& folder, const std::optional<sink::StoredSummary>& stored) {
  sink::SummaryPage page;
  page.folder = folder;
  if (!stored) return page;
  page.sampler = stored->sampler;
  page.model = stored->model;
  page.states = stored->states;
  page.names = stored->names;
  page.labels = stored->labels;
  page.parameters = stored->parameters;
  page.chains = stored->chains;
  page.length = stored->draws;
  page.warnings = stored->warnings;
  page.transitions = stored->transitions;
  return page;
}

// Replaces the stored values by values computed from the draws.
void add_draws(const sink::DrawSet& draws, sink::SummaryPage& page) {
  page.names = draws.names;
  page.labels = draws.labels;
  page.parameters = sink::summarize(draws, sink::sensible_threads(0));
  page.chains = draws.chains;
  page.length = draws.length;
  page.draws = &draws;
  std::vector<std::string> warnings = draws.notes;
  // The diagnostics apply to posterior draws only; for other states the run's own warnings are shown.
  const bool judged = page.states == "draws";
  for (const std::string& line : judged ? sink::diagnose(page.parameters, draws.labels) : page.warnings)
    warnings.push_back(line);
  if (judged)
    for (std::string& line : sink::diagnose(page.transitions)) warnings.push_back(std::move(line));
  page.warnings = std::move(warnings);
}

}  // namespace

int summary_command(const SummaryOptions& options) {
  const std::string& folder = options.folder;
  if (!std::filesystem::is_directory(folder))
    throw ConfigError(folder, "found no such folder, accepted: one with draws-1.csv, ... or CmdStan's CSVs");
  const auto stored = sink::read_stored_summary(sink::RunFolder(folder).summary());
  sink::SummaryPage page = stored_page(folder, stored);
  sink::DrawSet draws;
  if (!stored || !sink::draw_files(folder).empty()) {
    draws = sink::read_draws(folder);
    if (draws.length == 0) throw ConfigError(folder, "found no draws in its files, accepted: at least one per chain");
    add_draws(draws, page);
  }
  const bool terminal = stdout_is_terminal();
  const sink::SummaryStyle style{wants_colour(), terminal || options.sparkline,
                                 terminal ? static_cast<std::size_t>(stdout_width()) : 0};
  print(options.json ? sink::summary_json(page) : sink::summary_text(page, style));
  return kDone;
}

}  // namespace pollen::app
