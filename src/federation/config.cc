// Decides what a configuration means in a federation, for both sides.
#include <fmt/format.h>

#include "federation/federation.h"
#include "pollen/errors.h"

namespace pollen {

bool federated(const Config& config) {
  const NamedSampler* sampler = find_sampler(config.sampler.name);
  return sampler != nullptr && sampler->family != NamedSampler::Family::personal && !is_mixed(config);
}

Config for_federation(Config config) {
  if (!config.run.coupled && config.given.contains("run.coupled"))
    throw ConfigError(config.file + ": run.coupled",
                      "found false, accepted in a federation: true (a client takes part for all chains or for none)");
  config.run.coupled = true;
  if (!config.given.contains("output.lp")) config.output.lp = false;
  config.sampler.wire = "bytes";
  return config;
}

void check_federation(const Config& config) {
  Problems problems;
  if (!federated(config))
    problems.add(
        config.file + ": sampler.name",
        fmt::format("found \"{}\", which runs in one process (pollen run); accepted in a federation: the samplers "
                    "of the gradient and the averaging family",
                    config.sampler.name));
  const std::string missing = config.federation.on_missing.value_or("wait");
  const ParticipationConfig& p = config.participation;
  if (missing != "wait" && !config.federation.round_deadline)
    problems.add(config.file + ": federation.round_deadline",
                 fmt::format("needed with on_missing = \"{}\": seconds", missing));
  if (missing == "skip" && p.policy == "full")
    problems.add(
        config.file + ": federation.on_missing",
        "found \"skip\" with participation.policy = \"full\", whose theory has nobody missing; accepted: \"wait\", "
        "\"abort\", or participation.policy = \"bernoulli\" or \"fixed-size\"");
  const bool inverse = p.scaling.value_or(p.probability_is_list ? "inverse-probability" : "active") != "active";
  if (missing == "skip" && p.policy != "full" && (inverse || p.replacement))
    problems.add(config.file + ": federation.on_missing",
                 "found \"skip\" with inverse-probability weights, which a skipped client would make wrong; accepted: "
                 "\"wait\", \"abort\", or participation.scaling = \"active\"");
  problems.raise();
}

}  // namespace pollen
