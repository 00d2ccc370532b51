#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/words.h"
#include "compress/compressors.h"
#include "parts.h"

namespace pollen {

namespace {

struct Uses {
  const Config& config;
  const Recipe& recipe;

  static bool reads(const CompressorSpec& spec, const char* key) {
    return has_word(compressors().at(spec.kind).keys, key);
  }
  bool down(const char* key) const { return recipe.down.feedback && reads(recipe.down.compressor, key); }
  bool either(const char* key) const {
    const auto& specs = recipe.up.per_client;
    return down(key) || (specs.empty() ? reads(recipe.up.compressor, key)
                                       : std::ranges::any_of(specs, [&](const auto& s) { return reads(s, key); }));
  }
  bool kind(const char* name) const { return config.model.kind == name; }
  bool noise() const {
    const std::string& kind = config.model.kind;
    if (is_network(config)) return config.model.task == "regression";
    return kind == "linear" || kind == "mixed-linear" || kind == "mixed-gaussian";
  }
  bool custom() const { return recipe.name == "custom"; }
  bool averaged() const { return recipe.up.memory == Memory::average; }
  bool bernoulli() const { return recipe.participation.policy == ParticipationPolicy::bernoulli; }
  bool fixed_size() const { return recipe.participation.policy == ParticipationPolicy::fixed_size; }
  bool partition(const char* name) const { return config.data.partition == name; }
  bool source(const char* name) const { return config.data.sources.size() == 1 && config.data.sources[0] == name; }
  bool mixed_set() const { return source("synthetic-mixed"); }
  bool synthetic() const { return source("synthetic-gaussian") || source("synthetic-logistic") || mixed_set(); }
};

using Used = std::function<bool(const Uses&)>;

const std::map<std::string, Used>& conditions() {
  const auto averaging = [](const Uses& u) { return u.recipe.local.has_value(); };
  const auto personal = [](const Uses& u) { return u.recipe.personal; };
  const auto columns = [](const Uses& u) { return u.kind("mixed-gaussian") || u.kind("mixed-logistic"); };
  const auto energy = [](const Uses& u) { return !u.recipe.personal || u.config.population.prior == "energy"; };
  const auto normal = [](const Uses& u) { return !u.recipe.personal || u.config.population.prior == "normal"; };
  const auto decaying = [](const Uses& u) { return u.recipe.local && u.recipe.local->decaying; };
  static const std::map<std::string, Used> table = {
      {"sampler.batch", [](const Uses& u) { return u.recipe.oracle != OracleKind::full; }},
      {"sampler.refresh", [](const Uses& u) { return u.recipe.oracle == OracleKind::svrg; }},
      {"sampler.oracle", [](const Uses& u) { return u.custom(); }},
      {"sampler.error_feedback", [](const Uses& u) { return u.custom(); }},
      {"sampler.levels", [](const Uses& u) { return u.either("levels"); }},
      {"sampler.k", [](const Uses& u) { return u.either("k"); }},
      {"sampler.bits", [](const Uses& u) { return u.either("bits"); }},
      {"sampler.memory",
       [](const Uses& u) {
         return u.custom() || u.averaged() || u.recipe.oracle == OracleKind::svrg || u.recipe.local ||
                u.recipe.personal;
       }},
      {"sampler.memory_init", [](const Uses& u) { return u.averaged() && !u.recipe.local; }},
      {"sampler.memory_rate", [](const Uses& u) { return u.averaged(); }},
      {"sampler.downlink_k", [](const Uses& u) { return u.down("k"); }},
      {"sampler.downlink_levels", [](const Uses& u) { return u.down("levels"); }},
      {"sampler.mode_tolerance",
       [](const Uses& u) { return u.recipe.oracle == OracleKind::fixed_point || u.config.run.init == "mode"; }},
      {"sampler.step", [decaying](const Uses& u) { return !decaying(u); }},
      {"sampler.local_steps", [](const Uses& u) { return u.recipe.local || u.recipe.personal; }},
      {"sampler.communicate", averaging},
      {"sampler.refresh_probability", [](const Uses& u) { return u.recipe.oracle == OracleKind::control; }},
      {"sampler.correlation", averaging},
      {"sampler.scheme", averaging},
      {"sampler.emit", averaging},
      {"sampler.clip", averaging},
      {"sampler.schedule", averaging},
      {"sampler.smoothness", decaying},
      {"sampler.convexity", decaying},
      {"sampler.allow_unbalanced", [](const Uses& u) { return u.config.sampler.scheme == "II"; }},
      {"privacy.on_spent", [](const Uses& u) { return u.config.privacy.target_epsilon.has_value(); }},
      {"privacy.accountant", [](const Uses& u) { return u.config.privacy.target_epsilon.has_value(); }},
      {"participation.probability", [](const Uses& u) { return u.bernoulli(); }},
      {"participation.scaling", [](const Uses& u) { return u.bernoulli(); }},
      {"participation.size", [](const Uses& u) { return u.fixed_size(); }},
      {"participation.replacement", [](const Uses& u) { return u.fixed_size(); }},
      {"model.prior_sd", [](const Uses& u) { return u.config.model.prior == "normal"; }},
      {"model.noise_sd", [](const Uses& u) { return u.noise(); }},
      {"model.log_sigma_sd", [](const Uses& u) { return u.noise() && !u.config.model.noise_sd; }},
      {"model.sizes", [](const Uses& u) { return u.kind("mlp"); }},
      {"model.activation", [](const Uses& u) { return u.kind("mlp"); }},
      {"model.norm", [](const Uses& u) { return u.kind("resnet20"); }},
      {"model.file", [](const Uses& u) { return u.kind("torchscript"); }},
      {"model.fixed", columns},
      {"model.random", columns},
      {"model.latent", [](const Uses& u) { return u.config.model.kind == "mixed-linear"; }},
      {"sampler.kernel", personal},
      {"population.units", energy},
      {"population.particles", energy},
      {"population.mean", normal},
      {"population.spread", normal},
      {"population.mean_start", normal},
      {"population.least_sd", normal},
      {"population.most_sd", normal},
      {"population.mean_radius", normal},
      {"population.log_sd_prior_sd", normal},
      {"output.clients", personal},
      {"output.client_draws", personal},
      {"sampler.warm_start", personal},
      {"sampler.local_leapfrogs", [](const Uses& u) { return u.recipe.personal && u.config.sampler.kernel == "hmc"; }},
      {"sampler.shared_step", personal},
      {"sampler.population_step", personal},
      {"sampler.step_decay", personal},
      {"sampler.shared_radius", personal},
      {"data.positive",
       [](const Uses& u) { return u.config.model.kind == "logistic" || u.config.model.kind == "mixed-logistic"; }},
      {"data.dirichlet_alpha", [](const Uses& u) { return u.partition("dirichlet"); }},
      {"data.shards", [](const Uses& u) { return u.partition("label-shards"); }},
      {"data.dominant_share",
       [](const Uses& u) { return u.partition("dominant-label") || u.partition("label-pairs"); }},
      {"data.other_share", [](const Uses& u) { return u.partition("dominant-label"); }},
      {"data.classes_per_client", [](const Uses& u) { return u.partition("classes-per-client"); }},
      {"data.writers", [](const Uses& u) { return u.partition("by-writer"); }},
      {"data.least_rows", [](const Uses& u) { return u.partition("by-column") || u.partition("by-writer"); }},
      {"data.test_fraction", [](const Uses& u) { return u.config.data.test_source.empty(); }},
      {"data.distill_source", [](const Uses&) { return false; }},
      {"data.ood_source", [](const Uses& u) { return !u.recipe.personal; }},
      {"data.column", [](const Uses& u) { return u.partition("by-column"); }},
      {"data.clients", [](const Uses& u) { return !u.partition("by-column") && !u.partition("given"); }},
      {"data.dimension", [](const Uses& u) { return u.synthetic(); }},
      {"data.min_size", [](const Uses& u) { return u.synthetic(); }},
      {"data.max_size", [](const Uses& u) { return u.synthetic(); }},
      {"data.heterogeneity", [](const Uses& u) { return u.source("synthetic-gaussian") || u.mixed_set(); }},
      {"data.latent_dimension", [](const Uses& u) { return u.mixed_set(); }},
      {"data.noise_sd", [](const Uses& u) { return u.mixed_set(); }},
      {"data.small_share", [](const Uses& u) { return u.mixed_set(); }},
      {"data.alpha", [](const Uses& u) { return u.source("synthetic-logistic"); }},
      {"data.beta", [](const Uses& u) { return u.source("synthetic-logistic"); }},
  };
  return table;
}

bool network_key(const std::string& key) {
  constexpr const char* keys[] = {"task", "input", "input_mean", "input_sd", "weight_decay"};
  return key.starts_with("model.") && std::ranges::count(keys, key.substr(6)) > 0;
}

bool accounted(const Recipe& recipe) { return recipe.local && recipe.local->by_size; }

}  // namespace

void list_unused(const Config& config, const Recipe& recipe, std::vector<std::string>& warnings) {
  const Uses uses{config, recipe};
  for (const std::string& key : config.given) {
    const auto at = conditions().find(key);
    if (key.starts_with("privacy.") && !accounted(recipe))
      warnings.push_back(
          fmt::format("{} is set but nothing is accounted: the accountants are about fa-ld, not {}", key, recipe.name));
    if ((key.starts_with("compute.") || network_key(key)) && !is_network(config))
      warnings.push_back(fmt::format("{} is set but plays no role here (model {})", key, config.model.kind));
    if (key.starts_with("population.") && !recipe.personal)
      warnings.push_back(fmt::format("{} is set but plays no role here (model {})", key, config.model.kind));
    if (at != conditions().end() && !at->second(uses))
      warnings.push_back(fmt::format("{} is set but plays no role here (sampler {})", key, recipe.name));
  }
}

}  // namespace pollen
