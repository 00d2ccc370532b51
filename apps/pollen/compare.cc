#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "pollen/errors.h"
#include "run/planning.h"
#include "sink/comparison.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "terminal.h"

namespace pollen::app {

namespace {

// Compares the predictives of two runs of a classifier on the first run's test rows. If the test rows cannot be loaded
// again, for example because a file is gone, the comparison is skipped with a message.
void add_predictives(sink::Comparison& comparison, const sink::DrawSet& draws, const sink::Reference& reference,
                     const Config& config) {
  if (!reference.draws) return;
  try {
    const Experiment experiment(config);
    if (!experiment.model().classifies() || experiment.data().test.rows == 0) return;
    if (experiment.dimension() != draws.dimension()) return;
    comparison.predictives = sink::compare_predictives(draws, *reference.draws, experiment.model(),
                                                       experiment.data().test, sink::sensible_threads(0));
  } catch (const ConfigError& error) {
    tell(fmt::format("predictives are not compared: {}", error.what()));
  }
}

// The most numbers in a table whose mode is found in about a second.
constexpr std::int64_t kQuick = 20'000'000;

// Returns the theorem's bound for the run beside the measured distance. Computing it reads the rows again, so it is
// left out for runs whose privacy is accounted.
std::string promised(const Config& config, const sink::Comparison& comparison) {
  if (asks_for_privacy(config)) return "";
  try {
    Experiment experiment(config);
    if (experiment.data().train.rows * experiment.dimension() > kQuick) return "";
    const plan::Plan plan = make_report(experiment, {}).plan;
    if (!plan.bound)
      return fmt::format("  theorem: no bound on W2, {}\n",
                         plan.warnings.empty() ? "none applies" : plan.warnings.back());
    return fmt::format("  theorem: W2 <= {:.4g} after {:.6g} iterations ({}), {:.3g} times the Gaussian W2 measured\n",
                       plan.bound->w2, plan.bound->iterations, plan.source, plan.bound->w2 / comparison.w2);
  } catch (const std::exception& error) {
    return fmt::format("  theorem: no bound can be computed, because {}\n", error.what());
  }
}

// Compares two runs of a network with interchangeable units by their predictions on the first run's test rows. Returns
// an empty string for other models.
std::string compared_networks(const std::string& folder, const std::string& reference, const Config& config) {
  if (!is_network(config)) return "";
  const Experiment experiment(config);
  if (!experiment.model().interchangeable()) return "";
  const Table& test = experiment.data().test;
  if (!experiment.model().classifies() || test.rows == 0)
    throw ConfigError(folder, "found a network without classes to predict for test rows, accepted: one with them");
  // The draws of networks are large, so none are held in memory.
  const sink::ChosenDraws ours(folder, sink::kPredictiveDraws, 0), theirs(reference, sink::kPredictiveDraws, 0);
  for (const auto& [draws, path] : {std::pair(&ours, &folder), std::pair(&theirs, &reference)})
    if (draws->dimension() != experiment.dimension())
      throw ConfigError(*path, fmt::format("found {} parameters, accepted: {}, as the network has", draws->dimension(),
                                           experiment.dimension()));
  return sink::network_report(sink::compare_networks(ours, theirs, experiment.model(), test, config.output.ece_bins,
                                                     sink::sensible_threads(0)));
}

}  // namespace

int compare_command(const std::string& folder, const std::string& reference_path) {
  if (!std::filesystem::is_directory(folder))
    throw ConfigError(folder, "found no such folder, accepted: one with draws-1.csv, ... or CmdStan's CSVs");
  std::optional<Config> config;  // none for a folder of another program
  if (const std::string file = sink::RunFolder(folder).config(); std::filesystem::exists(file))
    config = read_config_file(file);
  if (const std::string networks = config ? compared_networks(folder, reference_path, *config) : "";
      !networks.empty()) {
    print(fmt::format("{} against {}\n\n{}", folder, reference_path, networks));
    return kDone;
  }
  const sink::DrawSet draws = sink::read_draws(folder);
  const sink::Reference reference = sink::read_reference(reference_path);
  sink::Comparison comparison = sink::compare(draws, reference, sink::sensible_threads(0));
  if (config) add_predictives(comparison, draws, reference, *config);
  print(fmt::format("{} against {}\n\n", folder, reference_path));
  print(sink::comparison_report(comparison) + (config ? promised(*config, comparison) : ""));
  return kDone;
}

}  // namespace pollen::app
