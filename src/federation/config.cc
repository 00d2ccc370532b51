// Decides what a configuration means in a federation, for both sides.
#include <fmt/format.h>

#include "data/column_handshake.h"
#include "data/store.h"
#include "federation/federation.h"
#include "personal/baselines.h"
#include "pollen/errors.h"
#include "run/problem.h"

namespace pollen {

std::string why_not_federated(const Config& config) {
  const std::string& name = config.sampler.name;
  if (name == "local") return "trains every client by itself and sends nothing, so that each site can run it alone";
  if (name == "l2gd") return "sends the clients' whole models, personal parts included";
  if (is_exact(config) || find_sampler(name) != nullptr || find_baseline(name) != nullptr) return {};
  return "runs in one process (pollen run)";
}

Config for_federation(Config config, bool shared_seed) {
  if (!config.run.coupled && config.given.contains("run.coupled"))
    throw ConfigError(config.file + ": run.coupled",
                      "found false, accepted in a federation: true (a client takes part for all chains or for none)");
  config.run.coupled = true;
  if (!config.given.contains("output.lp"))
    config.output.lp = config.output.lp && is_exact(config);  // which has it at hand
  config.sampler.wire = "bytes";
  config.data = data_spec(config);
  const bool given = config.given.contains("data.min_cell") || is_store(config.data);
  if (!given && !shared_seed && !asks_for_privacy(config) && target_of(config) != TargetKind::none)
    config.data.min_cell = Policy().min_cell;
  return config;
}

namespace {

void check_fingerprints(const Config& config, Problems& problems) {
  const FederationConfig& f = config.federation;
  if (!f.fingerprints.empty() && f.fingerprints.size() != f.expect.size())
    problems.add(config.file + ": federation.fingerprints",
                 fmt::format("found {} fingerprints, accepted: one for each of the {} names in federation.expect",
                             f.fingerprints.size(), f.expect.size()));
}

}  // namespace

Config servers_config(const std::string& text, const std::string& model_file) {
  // What a key means may depend on whether it is written. So what counts is the text with every key written out, which
  // is also what a contract says.
  const std::string where = "the server's configuration";
  Config config = read_config_text(to_toml(read_config_text(text, where)), where);
  config.data.sources.clear();
  for (std::string* path : named_files(config.data)) path->clear();
  config.network_time = {};
  if (config.run.init.starts_with("file:")) config.run.init = "file:";  // clients are not told where chains start
  if (!config.model.file.empty() && model_file.empty())
    throw ConfigError(where + ": model.file",
                      "found a model that is in a file, accepted with join --model-file FILE: this site's own copy of "
                      "it, because a client opens no file that a server names");
  if (!config.model.file.empty()) config.model.file = model_file;
  Problems problems;
  check_fingerprints(config, problems);
  problems.raise();
  if (const std::string why = why_not_federated(config); !why.empty())
    throw ConfigError(where, fmt::format("found the sampler {}, which {}", config.sampler.name, why));
  config.data = data_spec(config);
  return config;
}

void check_federation(const Config& config) {
  Problems problems;
  if (const std::string why = why_not_federated(config); !why.empty())
    problems.add(
        config.file + ": sampler.name",
        fmt::format(
            "found \"{}\", which {}; accepted in a federation: the samplers of the gradient and the "
            "averaging family, nuts, hmc, mala, fedsoul, fedsouk, and the personal baselines that share a part of "
            "their model",
            config.sampler.name, why));
  const SamplerConfig& s = config.sampler;
  const bool approximates = is_mixed(config) && find_baseline(s.name) == nullptr && !samples_jointly(config);
  const bool known = config.model.kind != "mixed-linear" && !is_network(config) && !s.population_step;
  if (approximates && !s.shared_step && !known)
    problems.add(
        config.file + ": sampler.shared_step",
        "found none, and a step that is chosen by itself needs second derivatives of the model, or the rows of "
        "all clients in one process (pollen run); accepted in a federation with mixed-linear, networks or a "
        "sampler.population_step: a number");
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
  check_fingerprints(config, problems);
  problems.raise();
}

}  // namespace pollen
