#include <fmt/format.h>

#include <algorithm>

#include "data/column_handshake.h"
#include "run/privacy_meter.h"
#include "run/problem.h"

namespace pollen {

namespace {

bool is_builtin(const DataSpec& data) {
  const std::vector<std::string> names = builtin_datasets();
  return data.sources.size() == 1 && std::ranges::count(names, data.sources.front()) > 0;
}

// Lists what looks at the data without noise. `table` says whether rows were read, `levels` whether clients reveal
// levels of their columns.
std::vector<UncoveredQuery> queries_of(const Config& config, bool table, bool levels) {
  std::vector<UncoveredQuery> looks;
  const SamplerConfig& s = config.sampler;
  const bool decaying = s.schedule == "decaying";
  if (config.model.prior == "auto") looks.push_back({"prior", "model.prior = \"auto\" takes its scales from the data"});
  if (config.run.init == "auto") looks.push_back({"init", "run.init = \"auto\" starts around what the data say"});
  if (config.run.init == "mode") looks.push_back({"init", "run.init = \"mode\" starts where the data say"});
  if (config.warm_up.epochs > 0) looks.push_back({"init", "the warm-up starts where the data say"});
  if (s.precondition != "none")
    looks.push_back({"precondition", "sampler.precondition takes the mode and the curvature from the data"});
  if (!s.step && !decaying) looks.push_back({"step", "sampler.step = \"auto\" is found from the data"});
  if (decaying && !(s.smoothness && s.convexity))
    looks.push_back({"schedule", "the decaying step's smoothness and convexity are found from the data"});
  if (table && standardizes(config.data, target_of(config)))
    looks.push_back({"standardize", "data.standardize = true shows means and deviations"});
  else if (table && with_defaults(config.data).constant != "keep")
    looks.push_back({"constant", "data.constant shows columns' means and deviations"});
  if (table && config.data.missing == "mean")
    looks.push_back({"missing", "data.missing = \"mean\" shows columns' means"});
  if (table && config.data.min_cell > 0)
    looks.push_back({"min_cell", "data.min_cell pools levels and numbers by how many rows have them"});
  if (table && levels)
    looks.push_back(
        {"levels", "clients show their text columns' levels or their labels, which data.levels does not give"});
  if (config.federation.scores == "end")
    looks.push_back({"scores", "federation.scores = \"end\" shows sums of scores over test rows"});
  if (config.output.lp) looks.push_back({"lp", "output.lp = true shows the potential at every draw"});
  return looks;
}

}  // namespace

std::vector<UncoveredQuery> uncovered_queries(const Config& config, const Federation& data) {
  const bool table = data.train.rows > 0 && !config.data.sources.empty();
  // The levels of a built-in data set are public.
  return queries_of(config, table, data.level_bits > 0 && !is_builtin(config.data));
}

std::vector<UncoveredQuery> uncovered_queries(const Config& config, bool levels_shown) {
  return queries_of(config, target_of(config) != TargetKind::none, levels_shown && !is_builtin(config.data));
}

}  // namespace pollen
