#include "sink/facts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "reference/reference.h"
#include "run/experiment.h"

namespace pollen::sink {

namespace {

constexpr std::array kStatusNames = {"complete", "interrupted", "failed"};
constexpr std::array kStatesNames = {"draws", "weights", "estimates", "iterates"};

// Partitions whose clients differ in their labels on purpose, so that no model without latents has the clients' shares.
constexpr std::array<std::string_view, 5> kByLabel = {"dirichlet", "label-shards", "dominant-label", "label-pairs",
                                                      "classes-per-client"};

template <std::size_t n>
std::size_t place_of(const std::string& name, const std::array<const char*, n>& names) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

PrivacyFacts privacy_of(const Experiment& experiment) {
  const PrivacyMeter& meter = experiment.privacy();
  const PrivacyConfig& config = experiment.config().privacy;
  PrivacyFacts facts;
  facts.asked = meter.asked();
  facts.spending = meter.after(experiment.iteration());
  facts.target = meter.target();
  if (meter.spent(experiment.iteration())) facts.spent_at_round = meter.rounds(*meter.budget());
  facts.adversary = config.adversary.value_or("server");
  facts.accepted = config.accept;
  return facts;
}

States states_of(const Experiment& experiment) {
  if (const PersonalResults* personal = experiment.personal()) {
    if (personal->is_baseline()) return States::iterates;
    if (!personal->has_posterior()) return States::estimates;
    return personal->may_judge() ? States::draws : States::weights;
  }
  const Recipe& recipe = experiment.recipe();
  if (recipe.reference && !find_reference(recipe.name)->samples) return States::iterates;
  return experiment.model().interchangeable() ? States::weights : States::draws;
}

std::optional<EventFacts> event_of(const Experiment& experiment) {
  const Federation& data = experiment.data();
  const std::vector<std::string>& classes =
      data.class_names.empty() ? experiment.model().class_names : data.class_names;
  if (classes.size() != 2 || target_of(experiment.config()) != TargetKind::binary) return std::nullopt;
  return EventFacts{data.layout.target.empty() ? experiment.config().data.target : data.layout.target, classes[1]};
}

// Whether a client can be absent from a round: because it was not drawn, or because a federation goes on without it.
bool clients_can_be_absent(const Config& config, const Participation& participation, Index clients) {
  return participation.partial(clients) || config.federation.on_missing == "skip";
}

std::optional<InterceptPrior> prior_intercept(const Config& config, const std::vector<std::string>& labels) {
  const ModelConfig& model = config.model;
  const std::size_t columns = model.prior_centre.size();
  if (columns == 0 || labels.size() != columns + 1 || labels[0] != "intercept" || model.prior_sd.empty() ||
      model.prior_mean.empty())
    return std::nullopt;
  const bool in_data_units = config.output.scale == "data";
  return InterceptPrior{in_data_units ? model.prior_centre : std::vector<double>(columns), model.prior_mean[0],
                        model.prior_sd[0]};
}

}  // namespace

RunFacts facts_of(const Config& config, const Recipe& recipe, Index clients) {
  RunFacts facts;
  facts.sampler = config.sampler.name;
  facts.model = config.model.kind;
  facts.seed = config.seed;
  facts.chains = config.run.chains;
  facts.iterations = config.run.iterations;
  facts.burn_in = config.run.burn_in.value_or(config.run.iterations / 10);
  facts.thin = config.run.thin;
  facts.coupled = config.run.coupled && clients_can_be_absent(config, recipe.participation, clients);
  facts.step = recipe.step.size;
  facts.temperature = recipe.temperature;
  facts.ece_bins = config.output.ece_bins;
  facts.reference = recipe.reference;
  facts.precondition = config.sampler.precondition;
  if (facts.sampler == "nuts") facts.transitions.max_depth = static_cast<int>(config.reference.max_depth);
  return facts;
}

RunFacts facts_of(const Experiment& experiment) {
  const Config& config = experiment.config();
  RunFacts facts = facts_of(config, experiment.recipe(), experiment.clients());
  facts.source = config.data.sources.empty() ? "" : config.data.sources.front();
  facts.done = experiment.iteration();
  facts.smoothness = experiment.smoothness();
  if (const SamplingForecast* forecast = experiment.forecast()) facts.forecast = *forecast;
  facts.clients = experiment.clients();
  const auto& begin = experiment.data().train_begin;
  facts.train_rows = begin.empty() ? 0 : begin.back();
  facts.test_rows = experiment.data().test.rows;
  facts.labels = experiment.labels();
  facts.event = event_of(experiment);
  facts.warnings = experiment.warnings();
  facts.notes = experiment.notes();
  facts.counters = experiment.counters();
  if (const SimulatedTime* simulated = experiment.simulated()) facts.simulated = *simulated;
  facts.privacy = privacy_of(experiment);
  facts.states = states_of(experiment);
  facts.exact = experiment.has_transitions();
  facts.prior_sd = experiment.prior_sd();
  facts.prior_intercept = prior_intercept(config, facts.labels);
  facts.by_label = std::ranges::count(kByLabel, config.data.partition) > 0;
  if (facts.states == States::draws) facts.mode = experiment.mode();
  facts.predicts = experiment.personal() != nullptr || experiment.model().predicts();
  if (experiment.personal() && experiment.clients() > 0) facts.first_client = experiment.data().client_names[0];
  if (facts.states == States::estimates) facts.identified = experiment.personal()->identified();
  return facts;
}

const char* name_of(RunStatus status) { return kStatusNames.at(static_cast<std::size_t>(status)); }
const char* name_of(States states) { return kStatesNames.at(static_cast<std::size_t>(states)); }

States states_named(const std::string& name) { return static_cast<States>(place_of(name, kStatesNames)); }
RunStatus status_named(const std::string& name) { return static_cast<RunStatus>(place_of(name, kStatusNames)); }

}  // namespace pollen::sink
