// Predictions of models with latents: for rows of one client, which took part in the run or is new.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pollen/errors.h"
#include "predict.h"
#include "run/experiment.h"
#include "sink/draws.h"
#include "sink/folder.h"
#include "sink/personal.h"
#include "sink/row_forecast.h"
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

// Returns what the run learnt, one column per chain, and how certain that is, or draws of its posterior.
Learnt stored_estimates(const sink::RunFolder& folder, const Experiment& experiment, Index asked) {
  const auto summary = sink::read_stored_summary(folder.summary());
  if (experiment.personal()->has_posterior()) {
    const sink::DrawSet draws = sink::read_draws(folder.path());
    const Index each = asked > 0 ? std::max<Index>(1, asked / draws.chains) : experiment.config().output.client_draws;
    if (draws.dimension() != experiment.dimension())
      throw ConfigError(folder.path(), fmt::format("found draws of {} parameters, accepted: {}", draws.dimension(),
                                                   experiment.dimension()));
    return {draws.thinned(draws.chains * each), {}, true};
  }
  if (!summary || summary->last.empty())
    throw ConfigError(folder.path(), "found no summary.json with estimates, accepted: the folder of a finished run");
  const auto& from = experiment.personal()->learns_average() ? summary->average : summary->last;
  Learnt learnt{Panel(experiment.dimension(), static_cast<Index>(from.size())), {}};
  Panel& out = learnt.at;
  for (std::size_t c = 0; c < from.size(); ++c) {
    if (static_cast<Index>(from[c].size()) != experiment.dimension())
      throw ConfigError(folder.summary(),
                        fmt::format("found {} estimates, accepted: {}", from[c].size(), experiment.dimension()));
    std::ranges::copy(from[c], out.column(static_cast<Index>(c)).begin());
  }
  const auto d = static_cast<std::size_t>(out.rows());
  if (summary->own_covariance.size() == d * d) learnt.covariance = summary->own_covariance;
  return learnt;
}

std::string csv(const Forecast& f, bool classes) {
  std::string text = classes ? "row,probability,sd,lower,upper\n" : "row,mean,sd,lower,upper,mean_lower,mean_upper\n";
  for (std::size_t r = 0; r < f.mean.size(); ++r) {
    text += fmt::format("{},{},{},{},{}", r + 1, f.mean[r], f.sd[r], f.lower[r], f.upper[r]);
    text += classes ? "\n" : fmt::format(",{},{}\n", f.mean_lower[r], f.mean_upper[r]);
  }
  return text;
}

std::string json(const Forecast& f, bool classes) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < f.mean.size(); ++r) {
    rows.push_back(
        {{classes ? "probability" : "mean", f.mean[r]}, {"sd", f.sd[r]}, {"lower", f.lower[r]}, {"upper", f.upper[r]}});
    if (!classes) rows.back().update({{"mean_lower", f.mean_lower[r]}, {"mean_upper", f.mean_upper[r]}});
  }
  return rows.dump(2) + '\n';
}

void check(const PredictOptions& options) {
  if (options.client.empty() == !options.new_client)
    throw ConfigError("predict", "found neither or both of --client and --new-client, accepted: one of the two");
  if (!options.observed.empty() && !options.new_client)
    throw ConfigError("--observed", "found without --new-client: a client of the run has its rows already");
}

// Returns options for a new client. They use nothing of the other clients except what was learnt from them, because
// their data may be out of reach.
ExperimentOptions strangers(const Config& config, const RowLayout& layout) {
  const ParticipationConfig& p = config.participation;
  const Index least = p.probability_is_list ? std::ssize(p.probability) : p.size.value_or(1);
  ExperimentOptions options;
  SiteFacts facts = facts_of(layout);
  if (samples_jointly(config)) facts.scaling.target = {0, 1};  // for a prior of which no prediction depends
  options.sites.assign(static_cast<std::size_t>(std::max<Index>(1, least)), facts);
  return options;
}

// The draws of the client whose folder this is (pollen join --out): of its (φ, z), with the uncertainty of the
// estimates where that is known, else of its z beside the φ that each chain has learnt.
struct SiteDraws {
  Panel draws;
  Index client = 0;
};
SiteDraws site_draws(const sink::RunFolder& folder, const std::string& name, const PersonalResults& personal,
                     const Learnt& learnt) {
  const sink::StoredClient stored = sink::find_client_file(folder, name);
  if (stored.path.empty())
    throw ConfigError("--client",
                      fmt::format("found \"{}\", of which {} has no draws; accepted: the client whose folder this is",
                                  name, folder.path()));
  const Index k = personal.shared(), latents = std::ssize(personal.latent_labels());
  const std::string predictive = sink::predictive_file(stored.path);
  if (std::filesystem::exists(predictive)) return {sink::read_draws_csv(predictive, k + latents).draws, stored.number};
  const sink::StoredDraws own = sink::read_draws_csv(stored.path, latents);
  SiteDraws out{Panel(k + latents, own.draws.columns()), stored.number};
  for (Index n = 0; n < own.draws.columns(); ++n) {
    const Index chain = std::min(own.chain[static_cast<std::size_t>(n)], learnt.at.columns() - 1);
    const auto to = out.draws.column(n);
    std::ranges::copy(learnt.at.column(chain).first(static_cast<std::size_t>(k)), to.begin());
    std::ranges::copy(own.draws.column(n), to.subspan(static_cast<std::size_t>(k)).begin());
  }
  return out;
}

// Keeps evenly spaced draws, at most so many.
Panel thinned(const Panel& all, Index most) {
  const Index count = std::min(most, all.columns());
  Panel out(all.rows(), count);
  for (Index n = 0; n < count; ++n) std::ranges::copy(all.column(n * all.columns() / count), out.column(n).begin());
  return out;
}

void append(const std::vector<double>& from, std::vector<double>& to) { to.insert(to.end(), from.begin(), from.end()); }

// Converts the forecast of a network of several classes to the form that other classifiers use.
sink::RowForecast told(const Forecast& f, Index classes) {
  sink::RowForecast out;
  out.classes = classes;
  out.rows = static_cast<Index>(f.mean.size()) / classes;
  out.mean = f.mean, out.lower = f.lower, out.upper = f.upper;
  out.aleatoric = f.entropy;
  out.total = stats::entropy({f.mean, classes});
  for (std::size_t r = 0; r < out.total.size(); ++r) {
    out.aleatoric[r] = std::min(out.aleatoric[r], out.total[r]);
    out.epistemic.push_back(out.total[r] - out.aleatoric[r]);
  }
  return out;
}

// Returns the scores: those of class probabilities for classes; rmse and the coverage of the intervals for numbers.
sink::Scores scores_of(const Forecast& f, Index classes, bool binary, const Numbers& y, int ece_bins) {
  const std::span<const double> truth(y.data(), y.size());
  if (classes > 1) return sink::class_scores({f.mean, classes}, truth, ece_bins);
  if (binary) {
    std::vector<double> both;
    for (const double p : f.mean) both.insert(both.end(), {1 - p, p});
    return sink::class_scores({both, 2}, truth, ece_bins);
  }
  double squares = 0, covered = 0;
  for (std::size_t r = 0; r < truth.size(); ++r) {
    squares += (f.mean[r] - truth[r]) * (f.mean[r] - truth[r]);
    covered += truth[r] >= f.lower[r] && truth[r] <= f.upper[r] ? 1 : 0;
  }
  const auto n = static_cast<double>(truth.size());
  return {{"rmse", std::sqrt(squares / n)}, {"coverage", covered / n}};
}

}  // namespace

int predict_client(const PredictOptions& options, const Config& config) {
  check(options);
  const RowLayout layout = layout_for(options, config);
  // A client of a federation predicts from what its own folder has.
  const bool at_site = !options.new_client && config.data.sources.empty();
  const Experiment experiment(config, options.new_client || at_site ? strangers(config, layout) : ExperimentOptions());
  const PersonalResults& personal = *experiment.personal();
  if (personal.is_baseline())
    throw ConfigError(
        options.folder,
        fmt::format("found a run of {}, which has no posterior; accepted: fedsoul, fedsouk, hmc", config.sampler.name));
  const Learnt learnt = at_site && personal.has_posterior()  // whose draws stand beside the client's own
                            ? Learnt()
                            : stored_estimates(sink::RunFolder(options.folder), experiment, options.draws);
  const Table rows = load_rows(options.data, layout, {options.score});
  for (const std::string& note : extrapolations(rows, layout, options.data)) tell("note: " + note);
  Table own;
  own.columns = rows.columns;
  own.stride = rows.stride;
  if (!options.observed.empty()) own = load_rows(options.observed, layout, {true});
  std::optional<Index> client;
  SiteDraws site;
  if (at_site)
    site = site_draws(sink::RunFolder(options.folder), options.client, personal, learnt);
  else if (!options.new_client)
    client = client_index(experiment.data(), options.client);
  if (at_site && options.draws > 0) site.draws = thinned(site.draws, options.draws);
  const Index chains = at_site ? 1 : learnt.at.columns();
  const Index draws = at_site || learnt.draws
                          ? (at_site ? site.draws.columns() : 1)
                          : std::max<Index>(1, options.draws > 0 ? options.draws / chains : config.output.client_draws);
  const Index classes = personal.outputs();
  constexpr Index kHeld = Index{1} << 25;  // the most numbers held at a time; a row needs one per draw and class
  const Index block = std::max<Index>(1, kHeld / (draws * chains * classes));
  const auto forecast = [&](Index first) {
    const Table some = rows.part(first, std::min(block, rows.rows - first));
    if (at_site) return personal.forecast(some, site.client, site.draws, options.interval);
    return personal.forecast({some, client, own}, learnt, draws, options.interval);
  };
  Forecast all;
  for (Index first = 0; first < rows.rows; first += block) {
    const Forecast some = forecast(first);
    append(some.mean, all.mean), append(some.sd, all.sd), append(some.entropy, all.entropy);
    append(some.lower, all.lower), append(some.upper, all.upper);
    append(some.mean_lower, all.mean_lower), append(some.mean_upper, all.mean_upper);
  }
  const bool binary = personal.predicts_classes();
  sink::Scores scores;
  if (options.score) scores = scores_of(all, classes, binary, rows.y, config.output.ece_bins);
  if (classes > 1) {
    sink::ForecastWriter writer(
        {config.model.kind, experiment.data().class_names, options.interval, draws * chains, options.json}, print);
    writer.add(told(all, classes));
    writer.finish(scores);
  } else {
    print(options.json ? json(all, binary) : csv(all, binary));
  }
  if (options.score && !(options.json && classes > 1)) tell_scores(scores, rows.rows, draws * chains);
  return kDone;
}

}  // namespace pollen::app
