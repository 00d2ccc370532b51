#include <fmt/format.h>

#include "base/words.h"
#include "parts.h"

namespace pollen {

namespace {

// Completes an ensemble, which has a single state per member: the one its warm-up ends with.
void complete_ensemble(Config& config, Problems& problems) {
  if (config.warm_up.epochs == 0)
    problems.add(config.file + ": warm_up.epochs",
                 "needed for an ensemble, whose members are what the warm-up ends with");
  if (!config.given.contains("run.iterations")) config.run.iterations = 1;
  if (!config.given.contains("run.burn_in")) config.run.burn_in = 0;
}

}  // namespace

Recipe complete_reference(Config& config, const ReferenceSampler& reference, Problems& problems,
                          std::vector<std::string>& warnings) {
  SamplerConfig& s = config.sampler;
  Recipe recipe;
  recipe.name = reference.name;
  recipe.reference = true;
  recipe.temperature = config.model.temperature;
  recipe.step.size = s.step.value_or(0);
  recipe.coupled = false;
  if (has_word(reference.keys, "batch")) recipe.batch = s.batch.value_or(Batch{std::nullopt, 1.0});
  if (has_word(reference.keys, "local_steps") && !s.local_steps) s.local_steps = 10;
  if (!config.reference.surrogate) config.reference.surrogate = is_network(config) ? "swag" : "draws";
  s.prior_at = "server";
  s.oracle = "full";
  s.compressor = "identity";
  s.memory = false;
  if (!config.participation.scaling) config.participation.scaling = "active";
  if (config.participation.policy != "full")
    problems.add(config.file + ": participation.policy",
                 fmt::format("found \"{}\", accepted for {}: \"full\"", config.participation.policy, reference.name));
  if (recipe.name == "fedbe" && config.reference.distill && config.data.distill_source.empty())
    problems.add(config.file + ": data.distill_source",
                 "needed with sampler.distill: rows that the server has, whose labels are not looked at");
  if (recipe.name == "ensemble")
    complete_ensemble(config, problems);
  else if (!reference.samples)
    warnings.push_back(
        fmt::format("{} is an optimiser: its rows are the server's successive iterates, not posterior draws; R-hat and "
                    "ESS describe its path alone",
                    reference.name));
  return recipe;
}

}  // namespace pollen
