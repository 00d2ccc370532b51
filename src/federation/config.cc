// Decides what a configuration means in a federation, for both sides.
#include <fmt/format.h>

#include "data/column_handshake.h"
#include "federation/federation.h"
#include "oracle/oracles.h"
#include "pollen/errors.h"
#include "run/problem.h"

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

// Lists every message that leaves a client. docs/privacy.md has the same list with reasons.
std::vector<std::string> disclosed_messages(const Config& config, bool curvature) {
  std::vector<std::string> list;
  const SamplerConfig& s = config.sampler;
  list.emplace_back("hello: its name, the program's version, a number that tells its state folder from others");
  const bool table = target_of(config) != TargetKind::none;
  if (table)
    list.emplace_back("columns: the names of its columns, the levels of text columns and the labels that occur");
  if (pools_columns(config.data, target_of(config)))
    list.emplace_back("moments, once: its number of training rows, every column's sum and sum of squares");
  if (config.data.target_moments) list.emplace_back("moments of the target, once: its sum and sum of squares");
  list.emplace_back("site, once: its number of training rows, the names of columns and classes as encoded");
  const bool picks_step = !s.step && s.schedule != "decaying";
  if (picks_step)
    list.emplace_back(
        "answers while the step is found: its gradient, its potential and its curvature's product with a "
        "vector, where the server asks");
  const bool coordinates = asks_for_coordinates(config);
  if (curvature && (picks_step || coordinates))
    list.emplace_back(
        "answers for the forecast: at the mode its Hessian, and the covariance of what its absence, its minibatches, "
        "its "
        "compressor or its local steps add to gradients");
  if (coordinates || config.run.init == "auto")
    list.push_back(
        fmt::format("answers about its curvature: the {} of its Hessian in single precision, where the search for the "
                    "mode begins and ends, and at a few points between if it is long",
                    curvature ? "lower half" : "diagonal"));
  const NamedSampler* named = find_sampler(s.name);
  const std::string oracle = named == nullptr ? "full" : s.name == "custom" ? s.oracle.value_or("full") : named->oracle;
  if (coordinates || config.run.init == "mode" || config.run.init == "auto" ||
      oracles().at(oracle).kind == OracleKind::fixed_point)
    list.emplace_back("answers while the mode is found: its gradient and potential, where the server asks");
  if (config.run.init == "auto")
    list.emplace_back("answers about the starts: its potential at the mode and at every chain's start");
  if (config.warm_up.epochs > 0)
    list.emplace_back("answers in the warm-up, one per step: its gradient of a minibatch, where the server asks");
  const bool local = named != nullptr && named->family != NamedSampler::Family::gradient;
  list.emplace_back(
      local ? "replies, one per round: where its local steps ended (or the compressed change), for every chain"
            : "replies, one per round: an estimate of its gradient at the broadcast position, compressed as the "
              "configuration says, for every chain");
  if (config.output.lp) list.emplace_back("answers at every kept draw (output.lp): its potential there");
  if (asks_for_privacy(config))
    list.emplace_back("docs/privacy.md says which of these messages an (epsilon, delta) guarantee covers");
  return list;
}

}  // namespace pollen
