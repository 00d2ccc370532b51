#include "sink/summary.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "commands.h"
#include "pollen/errors.h"
#include "sink/draws.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "sink/report.h"
#include "sink/stored_summary.h"
#include "sink/verdict.h"
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
}

// Adds the verdict. What the run warned of is shown only if the verdict on these very draws is its own.
void add_verdict(const std::optional<sink::StoredSummary>& stored, const sink::DrawSet& draws,
                 sink::StoredSummary& summary) {
  const bool any = draws.length > 0;
  summary.verdict = sink::verdict_of(stored, summary.parameters, summary.labels, any ? &draws : nullptr);
  if (!stored || stored->verdict != summary.verdict) summary.warnings.clear();
  summary.warnings.insert(summary.warnings.begin(), draws.notes.begin(), draws.notes.end());
}

}  // namespace

int summary_command(const SummaryOptions& options) {
  const std::string& folder = options.folder;
  if (!std::filesystem::is_directory(folder))
    throw ConfigError(folder, "found no such folder, accepted: one with draws-1.csv, ... or CmdStan's CSVs");
  const auto stored = sink::read_stored_summary(sink::RunFolder(folder).summary());
  // The run's own summary is all there is if it kept no draws, or failed before the first.
  sink::SummaryPage page{folder, stored.value_or(sink::StoredSummary())};
  sink::DrawSet draws;
  if (!stored || !sink::draw_files(folder).empty()) {
    draws = sink::read_draws(folder);
    if (draws.length == 0 && !stored)
      throw ConfigError(folder, "found no draws in its files, accepted: at least one per chain");
    if (draws.length > 0) add_draws(draws, page.summary), page.traced = &draws;
  }
  add_verdict(stored, draws, page.summary);
  const bool terminal = stdout_is_terminal();
  const sink::SummaryStyle style{wants_colour(), terminal || options.sparkline,
                                 terminal ? static_cast<std::size_t>(stdout_width()) : 0};
  print(options.json ? sink::summary_json(page) : sink::summary_text(page, style));
  return kDone;
}

}  // namespace pollen::app
