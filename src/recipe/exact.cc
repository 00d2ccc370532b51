// Completes nuts, hmc and mala. Their law is exact because every client answers every question in full, so what other
// samplers save on messages, rows or clients is refused here.
#include <fmt/format.h>

#include <algorithm>

#include "parts.h"

namespace pollen {

namespace {

void refuse_savings(const Config& config, Problems& problems) {
  const SamplerConfig& s = config.sampler;
  const auto refuse = [&](const std::string& key, const std::string& found, const char* accepted) {
    problems.add(fmt::format("{}: {}", config.file, key),
                 fmt::format("found {}, accepted for {}: {}", found, s.name, accepted));
  };
  if (config.participation.policy != "full")
    refuse("participation.policy", fmt::format("\"{}\"", config.participation.policy),
           "\"full\", because the sum over all clients decides what is accepted");
  if (s.compressor.value_or("identity") != "identity")
    refuse("sampler.compressor", fmt::format("\"{}\"", *s.compressor), "\"identity\"");
  if (s.downlink.value_or("identity") != "identity")
    refuse("sampler.downlink", fmt::format("\"{}\"", *s.downlink), "\"identity\"");
  if (s.bits != 64) refuse("sampler.bits", fmt::format("{}", s.bits), "64");
  if (s.batch && !s.batch->all()) refuse("sampler.batch", "a minibatch", "1.0, all rows");
  if (std::ranges::any_of(config.clients, [](const ClientConfig& c) { return c.compressor || c.levels || c.k; }))
    refuse("client", "a compressor of a client's own", "none");
  if (config.federation.on_missing.value_or("wait") == "skip")
    refuse("federation.on_missing", "\"skip\"", "\"wait\" or \"abort\"");
}

// Sets how long a run is by default: half of it is the warm-up, in which step and mass are learned.
void set_length(Config& config) {
  constexpr std::int64_t kIterations = 2000;
  RunConfig& run = config.run;
  if (!config.given.contains("run.iterations") && run.iterations == RunConfig().iterations)
    run.iterations = kIterations;
  if (!run.burn_in) run.burn_in = run.iterations / 2;
}

}  // namespace

bool is_exact(const Config& config) {
  const NamedSampler* named = find_sampler(config.sampler.name);
  return named != nullptr && named->family == NamedSampler::Family::exact;
}

Recipe complete_exact(Config& config, Problems& problems, std::vector<std::string>& warnings) {
  SamplerConfig& s = config.sampler;
  refuse_savings(config, problems);
  set_length(config);
  Recipe recipe;
  recipe.name = s.name;
  recipe.exact = true;
  recipe.temperature = config.model.temperature;
  recipe.step.size = s.step.value_or(0);
  recipe.coupled = config.run.coupled;
  s.oracle = "full";
  s.compressor = "identity";
  s.memory = false;
  s.prior_at = "server";
  if (!config.participation.scaling) config.participation.scaling = "active";
  if (s.step)
    warnings.push_back(fmt::format(
        "sampler.step {:.4g} is kept as given; with step = \"auto\" {} finds its own in the burn-in", *s.step, s.name));
  return recipe;
}

}  // namespace pollen
