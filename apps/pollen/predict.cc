#include "predict.h"

#include <fmt/format.h>

#include <filesystem>

#include "pollen/errors.h"
#include "run/problem.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "sink/row_forecast.h"
#include "sink/stored_summary.h"
#include "sink/summary.h"
#include "terminal.h"

namespace pollen::app {

namespace {

void check(const PredictOptions& options, const Config& config) {
  const char* latents = !options.client.empty()     ? "--client"
                        : options.new_client        ? "--new-client"
                        : !options.observed.empty() ? "--observed"
                                                    : nullptr;
  if (latents != nullptr)
    throw ConfigError(latents, fmt::format("found with a run of the model \"{}\", whose clients have nothing of their "
                                           "own; accepted with mixed-effects models",
                                           config.model.kind));
  if (!model_family(config.model.kind).predicts())
    throw ConfigError(options.folder, fmt::format("found a run of the model \"{}\", which predicts nothing of rows; "
                                                  "accepted: a model that predicts its target",
                                                  config.model.kind));
}

}  // namespace

RowLayout layout_for(const PredictOptions& options, const Config& config) {
  const sink::RunFolder folder(options.folder);
  const TargetKind kind = target_of(config);
  std::error_code ignored;
  if (std::filesystem::exists(folder.encoder(), ignored)) {
    RowLayout layout = read_layout(folder.encoder());
    if (layout.kind != kind)
      throw ConfigError(folder.encoder(),
                        fmt::format("found another kind of target than the model {} has, accepted: the "
                                    "encoder.json of this run",
                                    config.model.kind));
    return layout;
  }
  try {
    return layout_of(load_federation(data_spec(config), kind, config.seed, config.file), config.data, kind);
  } catch (const ConfigError& error) {
    throw ConfigError(folder.path(), fmt::format("found no encoder.json, and the run's data do not tell how rows are "
                                                 "encoded: {}",
                                                 error.what()));
  }
}

SiteFacts facts_of(const RowLayout& layout) {
  const auto classes = std::max<Index>(2, std::ssize(layout.classes));
  return {layout.features(), classes, layout.feature_names(), layout.classes, 1, false, {layout.mean, layout.sd, {}}};
}

void tell_scores(const sink::Scores& scores, Index rows, Index draws) {
  std::string text = fmt::format("scores of {} rows over {} draws:", rows, draws);
  for (const sink::Score& score : scores) text += fmt::format("  {} {:.4g}", score.name, score.value);
  tell(text);
}

int predict_rows(const PredictOptions& options, const Config& config) {
  check(options, config);
  const sink::RunFolder folder(options.folder);
  const RowLayout layout = layout_for(options, config);
  const ModelSpec model = make_remote_problem(config, {facts_of(layout)}).model;
  const Table rows = load_rows(options.data, layout, {options.score, options.labels});
  for (const std::string& note : extrapolations(rows, layout, options.data)) tell("note: " + note);
  const sink::ChosenDraws draws(options.folder, options.draws > 0 ? options.draws : sink::kPredictiveDraws);
  const auto stored = sink::read_stored_summary(folder.summary());
  if (stored && (stored->states == "iterates" || stored->states == "estimates"))
    tell(fmt::format("note: the states of {} are {}, no draws of a posterior: their spread is the algorithm's own",
                     stored->sampler, stored->states));
  const sink::Forecaster forecaster(model, draws, {options.interval, sink::sensible_threads(0)});
  sink::ForecastScores scores(forecaster.classes());
  sink::ForecastWriter writer({config.model.kind, layout.classes, options.interval, draws.count(), options.json},
                              print);
  for (Index first = 0; first < rows.rows; first += forecaster.block()) {
    const Index count = std::min(forecaster.block(), rows.rows - first);
    const sink::RowForecast block = forecaster.forecast(rows, first, count);
    if (options.score) scores.add(block, {rows.y.data() + first, static_cast<std::size_t>(count)});
    writer.add(block);
  }
  sink::Scores found;
  if (options.score) {
    found = scores.scores(config.output.ece_bins);
    if (model.classifies() && stored && std::ssize(stored->parameters) == model.dimension())
      sink::add_accuracy_mean(model, rows, stored->parameters, found);
  }
  writer.finish(found);
  if (options.score && !options.json) tell_scores(found, rows.rows, draws.count());
  return kDone;
}

int predict_command(const PredictOptions& options) {
  const sink::RunFolder folder(options.folder);
  if (!std::filesystem::exists(folder.config()))
    throw ConfigError(options.folder, "found no config.toml, accepted: the folder of a run");
  Config config = read_config_file(folder.config(), options.set);
  // Version 0.1 did not write this key, and its draws are of standardized columns.
  if (!config.given.contains("output.scale")) config.output.scale = "standardized";
  return is_mixed(config) ? predict_client(options, config) : predict_rows(options, config);
}

}  // namespace pollen::app
