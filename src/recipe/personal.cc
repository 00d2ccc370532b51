#include <fmt/format.h>

#include <algorithm>

#include "parts.h"
#include "personal/baselines.h"

namespace pollen {

namespace {

std::string personal_names() {
  std::string names = "\"fedsoul\", \"fedsouk\", \"hmc\"";
  for (const PersonalBaseline& b : baseline_table()) names += fmt::format(", \"{}\"", b.name);
  return names;
}

}  // namespace

void refuse_sampler(const Config& config, Problems& problems) {
  const std::string accepted =
      is_mixed(config)
          ? fmt::format("accepted for {}{}: {}", config.model.kind,
                        is_network(config) ? " with model.personal = \"last-layer\"" : "", personal_names())
          : fmt::format(
                "accepted for {}: with a model of kind \"mixed-...\", or {} with model.personal = \"last-layer\"",
                config.model.kind, last_layer_kinds());
  problems.add(config.file + ": sampler.name", fmt::format("found \"{}\", {}", config.sampler.name, accepted));
}

namespace {

void check_lists(const Config& config, Problems& problems) {
  const auto both = [&](const std::string& column) { return std::ranges::count(config.model.random, column) > 0; };
  for (const std::string& column : config.model.fixed)
    if (both(column))
      problems.add(
          config.file + ": model.fixed",
          fmt::format("found \"{}\", which is in model.random too; accepted: in one of the two (the population's "
                      "mean is its common part)",
                      column));
}

// Checks the conditions that all samplers of latents share.
void check_model(const Config& config, Problems& problems) {
  const std::string& init = config.run.init;
  if (is_network(config) && init != "random" && !init.starts_with("file:"))
    problems.add(config.file + ": run.init",
                 fmt::format("found \"{}\", accepted with model.personal: \"random\", \"file:PATH\"", init));
  if (!is_network(config) && init != "zero" && init != "auto")
    problems.add(config.file + ": run.init",
                 "found another than \"auto\" and \"zero\", accepted with personal latents: one of these (and "
                 "population.mean_start, population.sd_start)");
  if (!is_network(config) && config.warm_up.epochs > 0)
    problems.add(config.file + ": warm_up.epochs",
                 fmt::format("found a warm-up, accepted for {}: 0", config.model.kind));
  if (config.model.temperature != 1)
    problems.add(config.file + ": model.temperature", "found another than 1, accepted with personal latents: 1");
  if (config.model.likelihood != "sum")
    problems.add(config.file + ": model.likelihood", "found \"mean\", accepted with personal latents: \"sum\"");
  check_lists(config, problems);
}

// Fills in [population]. The prior is flat unless one was given, the model is a network, or hmc samples, which needs a
// proper one.
void complete_population(Config& config) {
  const bool network = is_network(config);
  PopulationConfig& p = config.population;
  if (!p.mean) p.mean = "vector";
  if (!p.spread) p.spread = network || config.model.kind == "mixed-linear" ? "scalar" : "vector";
  if (network) return;
  const bool given = config.given.contains("model.prior") || config.given.contains("model.prior_sd");
  if (!given && !samples_jointly(config)) config.model.prior = "flat";
  if (p.mean_start.empty()) p.mean_start = {0.0};
  if (p.sd_start.empty()) p.sd_start = {1.0};
}

}  // namespace

void complete_baseline(Config& config, Problems& problems, Recipe& recipe, std::vector<std::string>& warnings) {
  SamplerConfig& s = config.sampler;
  recipe.name = s.name;
  recipe.personal = true;
  recipe.coupled = config.run.coupled;
  recipe.step.size = s.step.value_or(0);
  if (!s.step)
    problems.add(config.file + ": sampler.step",
                 fmt::format("found \"auto\", accepted for {}: a number above 0", s.name));
  if (!s.local_steps) s.local_steps = 10;
  if (!config.reference.server_step) config.reference.server_step = 1;
  if (config.run.init == "auto") config.run.init = "zero";
  complete_population(config);
  check_model(config, problems);
  warnings.push_back(
      fmt::format("{} is an optimiser: its rows are successive iterates, and the clients' latents are points, not "
                  "posterior draws; R-hat and ESS describe its path alone",
                  s.name));
}

bool samples_jointly(const Config& config) { return config.sampler.name == "hmc" && is_mixed(config); }

void complete_joint(Config& config, Problems& problems, Recipe& recipe) {
  if (!samples_jointly(config)) return refuse_sampler(config, problems);
  recipe.personal = true;
  if (config.run.init == "auto" && config.model.kind == "mixed-linear") config.run.init = "zero";
  complete_population(config);
  check_model(config, problems);
  const PopulationConfig& p = config.population;
  const auto refuse = [&](const char* key, const std::string& found, const char* accepted) {
    problems.add(fmt::format("{}: {}", config.file, key),
                 fmt::format("found {}, accepted for hmc: {}", found, accepted));
  };
  if (p.least_sd || p.mean_radius || p.most_sd != PopulationConfig().most_sd)
    refuse("population", "least_sd, most_sd or mean_radius, bounds at which a trajectory would have to turn",
           "none of them; population.log_sd_prior_sd and mean_prior_sd are priors");
  if (*p.spread != "fixed" && config.model.prior == "flat" && !p.log_sd_prior_sd)
    refuse("model.prior",
           "\"flat\", under which the posterior of log sd is improper: a population without spread keeps a finite "
           "likelihood, so that log sd may run to minus infinity",
           "\"auto\" (half-normal sds), a number for model.prior_sd, or one for population.log_sd_prior_sd");
}

void complete_personal(Config& config, const NamedSampler& named, Problems& problems, Recipe& recipe) {
  SamplerConfig& s = config.sampler;
  const bool personal = named.family == NamedSampler::Family::personal;
  const std::string key = config.file + ": sampler.";
  if (personal != is_mixed(config)) return refuse_sampler(config, problems);
  if (!personal) return;
  recipe.personal = true;
  if (!s.local_steps) s.local_steps = 10;
  // Given steps go with the start that they had in version 0.1.
  if (config.run.init == "auto" && (s.shared_step || s.population_step || config.model.kind == "mixed-linear"))
    config.run.init = "zero";
  if (!s.kernel) s.kernel = s.name == "fedsoul" ? "langevin" : "mala";
  if (s.name == "fedsoul" && *s.kernel != "langevin")
    problems.add(key + "kernel",
                 fmt::format("found \"{}\", accepted for fedsoul: \"langevin\" (or fedsouk)", *s.kernel));
  if (is_network(config) && !s.shared_step)
    problems.add(key + "shared_step",
                 fmt::format("\"auto\" goes by a curvature that holds everywhere, which {} has not; accepted: a number",
                             config.model.kind));
  recipe.up.memory = s.memory.value_or(false) ? Memory::average : Memory::none;
  complete_population(config);
  if (s.downlink)
    problems.add(key + "downlink", "found a compressed downlink, which personalised samplers do not have");
  check_model(config, problems);
}

}  // namespace pollen
