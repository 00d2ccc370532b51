#include <fmt/format.h>

#include <algorithm>

#include "recipe/parts.h"

namespace pollen {

bool is_mixed(const Config& config) { return config.model.kind.starts_with("mixed-"); }

namespace {

void check_lists(const Config& config, Problems& problems) {
  const auto both = [&](const std::string& column) { return std::ranges::count(config.model.random, column) > 0; };
  for (const std::string& column : config.model.fixed)
    if (both(column))
      problems.add(config.file + ": model.fixed",
                   fmt::format("found \"{}\", which is in model.random too; accepted: in one of the two (the population's "
                               "mean is its common part)",
                               column));
}

}  // namespace

void complete_personal(Config& config, const NamedSampler& named, Problems& problems, Recipe& recipe) {
  SamplerConfig& s = config.sampler;
  const bool personal = named.family == NamedSampler::Family::personal;
  const std::string key = config.file + ": sampler.";
  if (personal != is_mixed(config)) {
    const char* accepted = is_mixed(config) ? "\"fedsoul\", \"fedsouk\"" : "with a model of kind \"mixed-...\"";
    return problems.add(key + "name", fmt::format("found \"{}\", accepted for {}: {}", s.name, config.model.kind, accepted));
  }
  if (!personal) return;
  recipe.personal = true;
  if (!s.local_steps) s.local_steps = 10;
  if (!s.kernel) s.kernel = s.name == "fedsoul" ? "langevin" : "mala";
  if (s.name == "fedsoul" && *s.kernel != "langevin")
    problems.add(key + "kernel", fmt::format("found \"{}\", accepted for fedsoul: \"langevin\" (or fedsouk)", *s.kernel));
  recipe.up.memory = s.memory.value_or(false) ? Memory::average : Memory::none;
  if (!config.given.contains("model.prior") && !config.given.contains("model.prior_sd")) config.model.prior = "flat";
  PopulationConfig& p = config.population;
  if (!p.mean) p.mean = "vector";
  if (!p.spread) p.spread = config.model.kind == "mixed-linear" ? "scalar" : "vector";
  if (config.model.temperature != 1)
    problems.add(config.file + ": model.temperature", "found another than 1, accepted with personal latents: 1");
  if (config.model.likelihood != "sum")
    problems.add(config.file + ": model.likelihood", "found \"mean\", accepted with personal latents: \"sum\"");
  if (s.downlink)
    problems.add(key + "downlink", "found a compressed downlink, which personalised samplers do not have");
  check_lists(config, problems);
}

}  // namespace pollen
