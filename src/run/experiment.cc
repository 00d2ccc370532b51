#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiment_parts.h"
#include "model/units.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// Gives the present positions to the sink, with lp__ if the configuration asks for it.
void keep(ExperimentParts& p, Sink& sink) {
  Engine& engine = *p.engine;
  if (!p.config.output.lp || p.personal) return sink.kept(p.position(), {});
  const Index chains = p.config.run.chains;
  if (!engine.potentials().empty()) return sink.kept(p.position(), engine.potentials());
  p.link->transport().query({Query::What::value, engine.position(), {}}, {p.potential.data(), 1, chains, 1});
  for (Index c = 0; c < chains; ++c)
    p.potential[static_cast<std::size_t>(c)] += p.problem.prior.value(engine.position().column(c));
  sink.kept(p.position(), p.potential);
}

// Returns the standard deviations of independent coordinates after a change of units.
std::vector<double> sd_in(const Units& units, const std::vector<double>& sd) {
  std::vector<double> variance(sd.size(), 0.0), one(sd.size());
  for (std::size_t k = 0; k < sd.size(); ++k) {
    std::ranges::fill(one, 0.0);
    one[k] = 1;
    units.to_data({one.data(), std::ssize(one), 1, std::ssize(one)});
    for (std::size_t j = 0; j < sd.size(); ++j)
      if (one[j] != 0) variance[j] += one[j] * one[j] * sd[k] * sd[k];
  }
  for (double& v : variance) v = std::sqrt(v);
  return variance;
}

}  // namespace

Experiment::Experiment(Config config, ExperimentOptions options)
    : parts_(std::make_unique<ExperimentParts>(std::move(config), options)) {
  if (options.ranks == nullptr) return;
  if (options.ranks->rank() == 0)
    await_ready(*options.ranks, parts_->fingerprint());
  else
    parts_->make_engine();
}

Experiment::~Experiment() = default;

void Experiment::prepare() { parts_->prepare(); }

bool Experiment::advance(std::int64_t iterations, Sink& sink) {
  ExperimentParts& p = *parts_;
  const std::int64_t asked = iteration() + iterations;
  const std::int64_t until = p.meter.stops() ? std::min(asked, p.meter.budget().value_or(asked)) : asked;
  while (iteration() < until) {
    p.choose_threads();
    if (p.options.stop != nullptr && p.options.stop->load(std::memory_order_relaxed)) return false;
    const std::int64_t before = iteration(), rounds = p.engine->counters().rounds;
    p.engine->advance(until - before);
    if (p.federation != nullptr && p.engine->counters().rounds > rounds)
      p.tally.add(iteration(), p.federation->server().broadcast().roster);
    p.tell_spent(before);
    if (iteration() > burn_in() && !p.engine->transitions().empty()) sink.transitions(p.engine->transitions());
    if (p.engine->emits() && iteration() > burn_in() && ++p.emitted % p.config.run.thin == 0) keep(p, sink);
    sink.closed(iteration(), p.engine->counters(), p.position());
  }
  return iteration() >= asked;
}

const Config& Experiment::config() const { return parts_->config; }
const Recipe& Experiment::recipe() const { return parts_->recipe; }
const ModelSpec& Experiment::model() const { return parts_->problem.model; }
const Federation& Experiment::data() const { return parts_->problem.data; }
std::vector<std::string> Experiment::labels() const {
  return parts_->personal ? parts_->personal->labels() : parts_->problem.model.labels();
}
Index Experiment::dimension() const { return parts_->dimension(); }
Index Experiment::clients() const { return parts_->problem.clients(); }
std::int64_t Experiment::iteration() const { return parts_->engine ? parts_->engine->iteration() : 0; }
std::int64_t Experiment::burn_in() const { return *parts_->config.run.burn_in; }
bool Experiment::has_transitions() const { return parts_->recipe.exact; }
Counters Experiment::counters() const {
  return parts_->engine ? parts_->engine->counters() : Counters{.setup_bits = parts_->setup_bits()};
}
const ParticipationTally& Experiment::participation() const { return parts_->tally; }
const SimulatedTime* Experiment::simulated() const { return parts_->clock ? &parts_->clock->time() : nullptr; }
const std::vector<std::string>& Experiment::warnings() const { return parts_->found.warnings; }
const std::vector<std::string>& Experiment::notes() const { return parts_->found.notes; }
const PrivacyMeter& Experiment::privacy() const { return parts_->meter; }
double Experiment::smoothness() const { return parts_->found.smoothness; }
const SamplingForecast* Experiment::forecast() const {
  return parts_->found.forecast ? &*parts_->found.forecast : nullptr;
}
std::optional<SamplingForecast> Experiment::plan_forecast(bool exact, std::string& why) {
  return parts_->plan_forecast(exact, why);
}
std::optional<SamplingForecast> Experiment::forecast_within(double share, std::string& why) {
  return parts_->forecast_within(share, why);
}
std::optional<ExactForecast> Experiment::exact_forecast(double draws, std::string& why) {
  return parts_->exact_forecast(draws, why);
}
ConstPanelView Experiment::position() const { return parts_->position(); }
std::vector<double> Experiment::mode() const {
  const ExperimentParts& p = *parts_;
  std::vector<double> mode = p.coordinates   ? p.coordinates->centre()
                             : p.around_mode ? p.around_mode->centre()
                                             : p.found.mode;
  if (p.problem.model.units != nullptr && !mode.empty())
    p.problem.model.units->to_data({mode.data(), std::ssize(mode), 1, std::ssize(mode)});
  return mode;
}
std::vector<double> Experiment::prior_sd() const {
  if (parts_->personal) return {};
  const Prior& prior = parts_->coordinates ? parts_->theta_prior : parts_->problem.prior;
  const auto& units = parts_->problem.model.units;
  const Index d = dimension();
  constexpr Index kMostInUnits = 2000;  // every coordinate costs a change of units
  std::vector<double> sd(static_cast<std::size_t>(d), std::numeric_limits<double>::infinity());
  if (units && d > kMostInUnits) return {};
  for (std::size_t j = 0; j < prior.precision.size(); ++j)
    if (prior.mean.empty() || prior.mean[j] == 0) sd[j] = 1 / std::sqrt(prior.precision[j]);
  return units ? sd_in(*units, sd) : sd;
}

const PersonalResults* Experiment::personal() const { return parts_->results ? &*parts_->results : nullptr; }

void Experiment::ask_scores(ConstPanelView at, ConstPanelView uncertainty, PanelView sums) const {
  parts_->link->transport().query({.what = Query::What::scores, .at = at, .direction = uncertainty, .spares = true},
                                  sums);
}

Questions& Experiment::questions() {
  if (!parts_->questions)
    throw ConfigError(parts_->config.file + ": model.kind",
                      fmt::format("found \"{}\", for whose samplers there is no plan; accepted: models without latents",
                                  parts_->config.model.kind));
  return *parts_->questions;
}

}  // namespace pollen
