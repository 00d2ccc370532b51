#include <fmt/format.h>

#include <span>

#include "base/words.h"
#include "parts.h"

namespace pollen {

bool reference_reads(const ReferenceSampler& reference, const std::string& key) {
  return has_word(reference.keys, key);
}

namespace {

// One state a member is all there is.
void complete_ensemble(Config& config, Problems& problems) {
  if (config.warm_up.epochs == 0)
    problems.add(config.file + ": warm_up.epochs",
                 "needed for an ensemble, whose members are what the warm-up ends with");
  if (!config.given.contains("run.iterations")) config.run.iterations = 1;
  if (!config.given.contains("run.burn_in")) config.run.burn_in = 0;
}

// fsgld: keys of the surrogates that it does not use.
void list_other_surrogates(const Config& config, std::vector<std::string>& warnings) {
  const bool swag = config.reference.surrogate == "swag";
  constexpr const char* of_swag[] = {"swag_rate", "swag_least_sd"};
  constexpr const char* of_draws[] = {"local_kernel", "diagonal", "target_accept", "adapt_mass", "max_depth"};
  const std::span<const char* const> others = swag ? std::span<const char* const>(of_draws) : of_swag;
  for (const std::string key : others)
    if (config.given.contains("sampler." + key))
      warnings.push_back(fmt::format("sampler.{} is set but plays no role here (sampler.surrogate {})", key,
                                     *config.reference.surrogate));
}

void check_distillation(const Config& config, Problems& problems, std::vector<std::string>& warnings) {
  const bool fedbe = config.sampler.name == "fedbe", distils = fedbe && config.reference.distill;
  if (distils && config.data.distill_source.empty())
    problems.add(config.file + ": data.distill_source",
                 "needed with sampler.distill: rows of the server's, whose labels are not looked at");
  const auto list = [&](const char* key) {
    if (!distils && config.given.contains(key))
      warnings.push_back(fmt::format("{} is set but plays no role here (no sampler.distill)", key));
  };
  list("data.distill_source");
  if (fedbe)
    for (const char* key : {"sampler.distill_steps", "sampler.distill_rate", "sampler.samples"}) list(key);
}

}  // namespace

Recipe complete_reference(Config& config, const ReferenceSampler& reference, Problems& problems,
                          std::vector<std::string>& warnings) {
  SamplerConfig& s = config.sampler;
  Recipe recipe;
  recipe.name = reference.name;
  recipe.reference = true;
  recipe.temperature = config.model.temperature;
  recipe.step = s.step.value_or(0);
  recipe.coupled = false;
  if (reference_reads(reference, "batch")) recipe.batch = s.batch.value_or(Batch{std::nullopt, 1.0});
  if (reference_reads(reference, "local_steps") && !s.local_steps) s.local_steps = 10;
  if (!config.reference.surrogate) config.reference.surrogate = is_network(config) ? "swag" : "draws";
  s.prior_at = "server";
  s.oracle = "full";
  s.compressor = "identity";
  s.memory = false;
  if (!config.participation.scaling) config.participation.scaling = "active";
  if (config.participation.policy != "full")
    problems.add(config.file + ": participation.policy",
                 fmt::format("found \"{}\", accepted for {}: \"full\"", config.participation.policy, reference.name));
  for (const std::string& key : config.given) {
    const std::string prefix = "sampler.";
    if (!key.starts_with(prefix) || key == "sampler.name" || key == "sampler.mode_tolerance") continue;
    if (!reference_reads(reference, key.substr(prefix.size())))
      warnings.push_back(fmt::format("{} is set but plays no role here (sampler {})", key, reference.name));
  }
  if (s.step && !reference.needs_step && reference_reads(reference, "step"))
    warnings.push_back(
        fmt::format("sampler.step {:.4g} is kept as given; with step = \"auto\" {} finds its own in the burn-in",
                    *s.step, reference.name));
  check_distillation(config, problems, warnings);
  if (recipe.name == "fsgld") list_other_surrogates(config, warnings);
  if (recipe.name == "ensemble")
    complete_ensemble(config, problems);
  else if (!reference.samples)
    warnings.push_back(
        fmt::format("{} is an optimiser: what it leaves are the server's iterates, not posterior draws; R-hat and ESS "
                    "describe its path alone",
                    reference.name));
  return recipe;
}

}  // namespace pollen
