#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "pollen/errors.h"
#include "pollen/run.h"
#include "sink/folder.h"
#include "sink/stored_summary.h"
#include "terminal.h"

namespace pollen::app {

namespace {

using Json = nlohmann::ordered_json;

Index client_index(const Federation& data, const std::string& name) {
  const std::vector<std::string> names = data.client_names.list();
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return at - names.begin();
  const auto near = nearest(name, names);
  const std::vector<std::string> some(names.begin(), names.begin() + std::min<std::ptrdiff_t>(10, std::ssize(names)));
  throw ConfigError("--client", fmt::format("found \"{}\", accepted: {}{}{}", name, fmt::join(some, ", "),
                                            names.size() > 10 ? ", ..." : "",
                                            near ? fmt::format("; did you mean \"{}\"?", *near) : ""));
}

// What the run learnt, a column a chain.
Panel stored_estimates(const sink::RunFolder& folder, const Experiment& experiment) {
  const auto summary = sink::read_stored_summary(folder.summary());
  if (!summary || summary->last.empty())
    throw ConfigError(folder.path(), "found no summary.json with estimates, accepted: the folder of a finished run");
  const auto& from = experiment.learns_average() ? summary->average : summary->last;
  Panel out(experiment.dimension(), static_cast<Index>(from.size()));
  for (std::size_t c = 0; c < from.size(); ++c) {
    if (static_cast<Index>(from[c].size()) != experiment.dimension())
      throw ConfigError(folder.summary(),
                        fmt::format("found {} estimates, accepted: {}", from[c].size(), experiment.dimension()));
    std::ranges::copy(from[c], out.column(static_cast<Index>(c)).begin());
  }
  return out;
}

std::string csv(const Forecast& f, bool classes) {
  std::string text = classes ? "row,probability,sd,lower,upper\n" : "row,mean,sd,lower,upper\n";
  for (std::size_t r = 0; r < f.mean.size(); ++r)
    text += fmt::format("{},{},{},{},{}\n", r + 1, f.mean[r], f.sd[r], f.lower[r], f.upper[r]);
  return text;
}

std::string json(const Forecast& f, bool classes) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < f.mean.size(); ++r)
    rows.push_back(
        {{classes ? "probability" : "mean", f.mean[r]}, {"sd", f.sd[r]}, {"lower", f.lower[r]}, {"upper", f.upper[r]}});
  return rows.dump(2) + '\n';
}

void check(const PredictOptions& options) {
  if (options.client.empty() == !options.new_client)
    throw ConfigError("predict", "found neither or both of --client and --new-client, accepted: one of the two");
  if (!options.observed.empty() && !options.new_client)
    throw ConfigError("--observed", "found without --new-client: a client of the run has its rows already");
}

}  // namespace

int predict_command(const PredictOptions& options) {
  const sink::RunFolder folder(options.folder);
  if (!std::filesystem::exists(folder.config()))
    throw ConfigError(options.folder, "found no config.toml, accepted: the folder of a run");
  const Config config = read_config_file(folder.config());
  if (!is_mixed(config))
    throw ConfigError(options.folder,
                      fmt::format("found a run of the model \"{}\", accepted in this version: mixed-effects models",
                                  config.model.kind));
  check(options);
  const Experiment experiment(config);
  if (experiment.is_baseline())
    throw ConfigError(
        options.folder,
        fmt::format("found a run of {}, which has no posterior; accepted: fedsoul, fedsouk", config.sampler.name));
  if (experiment.outputs() > 1)
    throw ConfigError(options.folder,
                      fmt::format("found a run of a network of {} classes, accepted in this version: mixed-effects "
                                  "models, and networks with task = \"regression\"",
                                  experiment.outputs()));
  const Panel learnt = stored_estimates(folder, experiment);
  const Table rows = load_rows(options.data, config.data, experiment.data(), TargetKind::none);
  Table own;
  own.columns = rows.columns;
  own.stride = rows.stride;
  const TargetKind target = experiment.predicts_classes() ? TargetKind::binary : TargetKind::real;
  if (!options.observed.empty()) own = load_rows(options.observed, config.data, experiment.data(), target);
  std::optional<Index> client;
  if (!options.new_client) client = client_index(experiment.data(), options.client);
  const Index draws = std::max<Index>(1, config.output.client_draws);
  const Forecast forecast = experiment.forecast(rows, client, own, learnt, draws, options.interval);
  print(options.json ? json(forecast, experiment.predicts_classes()) : csv(forecast, experiment.predicts_classes()));
  return kDone;
}

}  // namespace pollen::app
