#include <fmt/format.h>

#include <algorithm>

#include "compress/compressors.h"
#include "model/coordinates.h"
#include "oracle/oracles.h"
#include "parts.h"
#include "personal/baselines.h"
#include "pollen/config.h"
#include "pollen/errors.h"
#include "reference/reference.h"

namespace pollen {

namespace {

// Tells whether sampler.scaled applies: it has an effect only on unbiased compressors.
bool may_scale(const CompressorSpec& spec) {
  return spec.compresses() && !is_coded(spec) && compressors().at(spec.kind).unbiased;
}

// Fills in the uplink and the downlink: first what the sampler's name stands for, then the user's keys. The choices
// made here are written back into the config.
void complete_links(Config& config, const NamedSampler& named, Index d, Recipe& recipe) {
  SamplerConfig& s = config.sampler;
  const bool down = named.down_feedback || s.downlink.has_value();
  // For p-elf, `sampler.compressor` is the compressor of the downlink.
  const bool only_down = named.down_feedback && named.memory == Memory::none;
  if (!s.compressor) s.compressor = only_down ? "top-k" : named.compressor;
  if (!s.k) s.k = std::max<Index>(1, d / 10);
  CompressorSpec up{*s.compressor, s.bits, s.levels, *s.k, false};
  up.scaled = s.scaled && may_scale(up);
  if (down) {
    if (!s.downlink) s.downlink = s.compressor;
    if (!s.downlink_k) s.downlink_k = s.k;
    if (!s.downlink_levels) s.downlink_levels = s.levels;
    recipe.down.feedback = true;
    recipe.down.compressor = {*s.downlink, s.bits, *s.downlink_levels, *s.downlink_k, false};
    recipe.down.compressor.scaled = s.scaled && may_scale(recipe.down.compressor);
  }
  recipe.up.compressor = only_down ? CompressorSpec{.kind = "identity", .bits = s.bits} : up;
  recipe.up.memory = named.memory;
  if (named.name == "custom") {
    if (s.memory.value_or(false)) recipe.up.memory = Memory::average;
    if (s.error_feedback.value_or(false)) recipe.up.memory = Memory::feedback;
  } else if (named.memory == Memory::average && !s.memory.value_or(true)) {
    recipe.up.memory = Memory::none;
  }
  if (is_coded(up) && !config.given.contains("sampler.memory") && recipe.up.memory == Memory::average)
    recipe.up.memory = Memory::none;
  const bool may_remember = recipe.local && recipe.up.memory == Memory::none && s.memory.value_or(true);
  if (may_remember && up.compresses()) recipe.up.memory = Memory::average;
  if (!s.memory) s.memory = recipe.up.memory == Memory::average;
  recipe.up.start_at_gradient = !recipe.local && recipe.up.memory == Memory::average && s.memory_init == "gradient";
}

void complete_per_client(const Config& config, Index clients, Recipe& recipe) {
  const bool any =
      std::ranges::any_of(config.clients, [](const ClientConfig& c) { return c.compressor || c.levels || c.k; });
  if (!any) return;
  recipe.up.per_client.assign(static_cast<std::size_t>(clients), recipe.up.compressor);
  for (std::size_t i = 0; i < std::min(config.clients.size(), recipe.up.per_client.size()); ++i) {
    CompressorSpec& spec = recipe.up.per_client[i];
    const ClientConfig& client = config.clients[i];
    if (client.compressor) spec.kind = *client.compressor;
    if (client.levels) spec.levels = *client.levels;
    if (client.k) spec.k = *client.k;
    spec.scaled = config.sampler.scaled && may_scale(spec);
  }
}

void complete_participation(Config& config, Index clients, Problems& problems, Recipe& recipe) {
  ParticipationConfig& p = config.participation;
  Participation& out = recipe.participation;
  out.policy = p.policy == "bernoulli"    ? ParticipationPolicy::bernoulli
               : p.policy == "fixed-size" ? ParticipationPolicy::fixed_size
                                          : ParticipationPolicy::full;
  if (!p.scaling) p.scaling = p.probability_is_list ? "inverse-probability" : "active";
  out.scaling = *p.scaling == "active" ? Scaling::active : Scaling::inverse_probability;
  out.replacement = p.replacement;
  const std::string key = config.file + ": participation.";
  if (out.policy == ParticipationPolicy::bernoulli) {
    if (p.probability.empty())
      problems.add(key + "probability", "needed for policy = \"bernoulli\": a number above 0 up to 1");
    if (p.probability_is_list && p.probability.size() != static_cast<std::size_t>(clients))
      problems.add(key + "probability", fmt::format("found {} numbers, accepted: one, or one per client ({})",
                                                    p.probability.size(), clients));
    const bool equal = std::ranges::adjacent_find(p.probability, std::ranges::not_equal_to{}) == p.probability.end();
    if (!equal && out.scaling == Scaling::active)
      problems.add(
          key + "scaling",
          "found \"active\" with unequal probabilities, whose weights are biased; accepted: \"inverse-probability\"");
    out.probability = p.probability;
    if (equal && !out.probability.empty()) out.probability = std::vector<double>{out.probability.front()};
  }
  if (out.policy == ParticipationPolicy::fixed_size) {
    if (!p.size)
      problems.add(key + "size", "needed for policy = \"fixed-size\": how many clients take part in a round");
    else if (*p.size > clients && !p.replacement)
      problems.add(key + "size",
                   fmt::format("found {}, accepted: at most the number of clients ({})", *p.size, clients));
    out.size = p.size.value_or(1);
  }
}

// Returns about how many bits a client sends in the whole run, from below.
double planned_uplink(const Config& config, const Recipe& recipe, Index clients, Index dimension) {
  const CompressorSpec& up = recipe.up.compressor;
  const double words = up.kind == "top-k" || up.kind == "rand-k" ? static_cast<double>(up.k) * up.bits
                       : up.compresses()                         ? 2 * static_cast<double>(dimension)
                                                                 : static_cast<double>(dimension) * up.bits;
  const Participation& p = recipe.participation;
  double share = 1;
  if (p.policy == ParticipationPolicy::bernoulli && !p.probability.empty())
    share = *std::ranges::min_element(p.probability);
  if (p.policy == ParticipationPolicy::fixed_size)
    share = std::min(1.0, static_cast<double>(p.size) / static_cast<double>(clients));
  const double rounds = static_cast<double>(config.run.iterations) / (recipe.local ? recipe.local->mean_steps() : 1);
  return words * share * rounds * static_cast<double>(config.run.chains);
}

}  // namespace

// The noise of a sample stretches some directions and shortens others; clients whose rows are alike count as one.
Index fewest_sampled(Index dimension) { return std::max<Index>(50, 10 * dimension); }

namespace {

// Decides in which coordinates the run samples.
void complete_coordinates(Config& config, Index clients, Index dimension, Recipe& recipe) {
  SamplerConfig& s = config.sampler;
  constexpr double kShareOfUplink = 0.105;  // a tenth, and room for 1,000 columns in a default run
  if (s.precondition == "auto") {
    const auto d = static_cast<double>(dimension);
    // So many clients' Hessians are a tenth of what clients send anyway.
    const double half = 16 * d * (d + 1), all = static_cast<double>(clients);
    const double cheap = all * kShareOfUplink * planned_uplink(config, recipe, clients, dimension) / half;
    const bool enough = cheap >= all || cheap >= static_cast<double>(fewest_sampled(dimension));
    s.precondition = !asks_for_coordinates(config)                   ? "none"
                     : dimension <= Coordinates::kMostFull && enough ? "full"
                                                                     : "diagonal";
    if (s.precondition == "full" && cheap < all && !config.given.contains("sampler.curvature_clients"))
      s.curvature_clients = static_cast<Index>(cheap);
  }
  recipe.preconditioned = s.precondition != "none" && !recipe.personal;
}

void complete_run(Config& config, Problems& problems) {
  RunConfig& r = config.run;
  if (!r.burn_in) r.burn_in = r.iterations / 10;
  if (*r.burn_in >= r.iterations)
    problems.add(config.file + ": run.burn_in",
                 fmt::format("found {}, accepted: below run.iterations ({})", *r.burn_in, r.iterations));
  else if ((r.iterations - *r.burn_in) / r.thin < 1)
    problems.add(config.file + ": run.thin",
                 fmt::format("found {}, accepted: at most iterations - burn_in ({}), or no draw is kept", r.thin,
                             r.iterations - *r.burn_in));
}

}  // namespace

// A number for the step or the clip is in the model's own coordinates, and an accountant does not cover the curvature.
bool asks_for_coordinates(const Config& config) {
  const SamplerConfig& s = config.sampler;
  if (s.precondition != "auto") return s.precondition != "none";
  const bool covered = asks_for_privacy(config) && std::ranges::count(config.privacy.accept, "precondition") == 0;
  return !(s.step || s.clip || s.smoothness || s.convexity || covered || is_network(config) || is_mixed(config) ||
           config.model.kind == "gaussian");
}

Recipe complete(Config& config, Index clients, Index dimension, std::vector<std::string>& warnings) {
  Problems problems;
  SamplerConfig& s = config.sampler;
  const GivenValues given = given_values(config);
  check_last_layer(config, problems);
  if (is_mixed(config) && !config.given.contains("sampler.name")) s.name = "fedsoul";
  if (is_mixed(config) && find_baseline(s.name) != nullptr) {
    Recipe recipe;
    complete_participation(config, clients, problems, recipe);
    complete_baseline(config, problems, recipe, warnings);
    s.precondition = "none";
    check_network(config, false, problems);
    complete_run(config, problems);
    complete_network_time(config, dimension, warnings);
    problems.raise();
    list_unused(given, config, recipe, clients, dimension, warnings);
    return recipe;
  }
  if (const ReferenceSampler* reference = find_reference(s.name)) {
    if (is_mixed(config)) refuse_sampler(config, problems);
    const Recipe recipe = complete_reference(config, *reference, problems, warnings);
    if (s.precondition == "auto") s.precondition = "none";
    check_network(config, reference->needs_step, problems);
    complete_run(config, problems);
    complete_network_time(config, dimension, warnings);
    problems.raise();
    list_unused(given, config, recipe, clients, dimension, warnings);
    return recipe;
  }
  if (find_sampler(s.name) == nullptr) {
    refuse_sampler(config, problems);
    problems.raise();
  }
  const NamedSampler& named = *find_sampler(s.name);
  if (is_exact(config)) {
    Recipe recipe = complete_exact(config, problems, warnings);
    if (is_mixed(config)) complete_joint(config, problems, recipe);
    check_network(config, false, problems);
    complete_run(config, problems);
    complete_network_time(config, dimension, warnings);
    problems.raise();
    complete_coordinates(config, clients, dimension, recipe);
    list_unused(given, config, recipe, clients, dimension, warnings);
    return recipe;
  }
  Recipe recipe;
  recipe.name = s.name;
  if (s.name != "custom" || !s.oracle) s.oracle = named.oracle;
  recipe.oracle_name = *s.oracle;
  recipe.oracle = oracles().at(*s.oracle).kind;
  const bool tenth = named.minibatch_default || (s.name == "custom" && recipe.oracle == OracleKind::minibatch);
  if (!s.batch && recipe.oracle != OracleKind::full)
    s.batch = tenth ? Batch{std::nullopt, 0.1} : Batch{std::nullopt, 1.0};
  if (recipe.oracle != OracleKind::full) recipe.batch = *s.batch;
  recipe.refresh = s.refresh;
  complete_local(config, named, problems, recipe);
  complete_links(config, named, dimension, recipe);
  complete_per_client(config, clients, recipe);
  complete_participation(config, clients, problems, recipe);
  complete_coded(config, problems, recipe);
  complete_personal(config, named, problems, recipe);
  complete_run(config, problems);
  complete_privacy(config, recipe);
  complete_network_time(config, dimension, warnings);
  recipe.step = {s.step.value_or(0), s.smoothness.value_or(0), s.convexity.value_or(0)};
  recipe.temperature = config.model.temperature;
  if (!s.prior_at) s.prior_at = recipe.local ? "clients" : "server";
  recipe.prior_on_server = *s.prior_at == "server";
  recipe.coupled = config.run.coupled;
  recipe.make_bytes = s.wire == "bytes";
  check_local(config, problems, recipe, warnings);
  check_network(config, named.family != NamedSampler::Family::personal && !is_mixed(config), problems);
  problems.raise();
  complete_coordinates(config, clients, dimension, recipe);
  check_theory(config, clients, dimension, recipe, warnings);
  list_unused(given, config, recipe, clients, dimension, warnings);
  return recipe;
}

}  // namespace pollen
