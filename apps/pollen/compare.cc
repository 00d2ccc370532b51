#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "pollen/errors.h"
#include "pollen/run.h"
#include "sink/comparison.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "terminal.h"

namespace pollen::app {

namespace {

// Both are runs of ours of a classifier: their predictives on the first one's test rows. Test rows that cannot be made
// again (a file that is gone) are no reason to fail.
void add_predictives(sink::Comparison& comparison, const sink::DrawSet& draws, const sink::Reference& reference,
                     const std::string& folder) {
  const std::string config = sink::RunFolder(folder).config();
  if (!reference.draws || !std::filesystem::exists(config)) return;
  try {
    const Experiment experiment(read_config_file(config));
    if (!experiment.model().classifies() || experiment.data().test.rows == 0) return;
    if (experiment.dimension() != draws.dimension()) return;
    comparison.predictives = sink::compare_predictives(draws, *reference.draws, experiment.model(),
                                                       experiment.data().test, sink::sensible_threads(0));
  } catch (const ConfigError& error) {
    tell(fmt::format("predictives are not compared: {}", error.what()));
  }
}

}  // namespace

int compare_command(const std::string& folder, const std::string& reference_path) {
  if (!std::filesystem::is_directory(folder))
    throw ConfigError(folder, "found no such folder, accepted: one with draws-1.csv, ... or CmdStan's CSVs");
  const sink::DrawSet draws = sink::read_draws(folder);
  const sink::Reference reference = sink::read_reference(reference_path);
  sink::Comparison comparison = sink::compare(draws, reference, sink::sensible_threads(0));
  add_predictives(comparison, draws, reference, folder);
  print(fmt::format("{} against {}\n\n", folder, reference_path));
  print(sink::comparison_report(comparison));
  return kDone;
}

}  // namespace pollen::app
