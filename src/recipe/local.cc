#include <fmt/format.h>

#include "parts.h"

namespace pollen {

namespace {

bool asks_for_local_steps(const SamplerConfig& s) { return s.local_steps || s.communicate; }

std::string key(const Config& config, const char* name) { return fmt::format("{}: sampler.{}", config.file, name); }

// Checks sampler.scheme and fills in participation: FA-LD's schemes draw a fixed number of clients, with replacement
// (I) or without (II).
void complete_scheme(Config& config, const NamedSampler& named, Problems& problems) {
  const bool fa_ld = named.family == NamedSampler::Family::fa_ld;
  ParticipationConfig& p = config.participation;
  if (config.sampler.scheme == "full") {
    if (fa_ld && p.policy != "full")
      problems.add(
          config.file + ": participation.policy",
          fmt::format("found \"{}\" with sampler.scheme = \"full\"; accepted for fa-ld: scheme = \"I\" or \"II\" "
                      "with participation.size",
                      p.policy));
    return;
  }
  if (!fa_ld) {
    problems.add(key(config, "scheme"),
                 fmt::format("found \"{}\", which is fa-ld's; accepted here: [participation]", config.sampler.scheme));
    return;
  }
  const bool replacement = config.sampler.scheme == "I";
  if (p.policy == "bernoulli" || (config.given.contains("participation.replacement") && p.replacement != replacement))
    problems.add(
        key(config, "scheme"),
        fmt::format("found \"{}\", which is policy = \"fixed-size\" with replacement = {}; [participation] says "
                    "otherwise",
                    config.sampler.scheme, replacement));
  p.policy = "fixed-size";
  p.replacement = replacement;
}

}  // namespace

void complete_local(Config& config, const NamedSampler& named, Problems& problems, Recipe& recipe) {
  SamplerConfig& s = config.sampler;
  if (named.family == NamedSampler::Family::personal) return;
  const bool custom = s.name == "custom";
  if (named.family == NamedSampler::Family::gradient && !(custom && asks_for_local_steps(s))) {
    if (recipe.oracle == OracleKind::control)
      problems.add(key(config, "oracle"), "found \"control\", which needs local_steps or communicate");
    return;
  }
  if (s.local_steps && s.communicate)
    problems.add(key(config, "communicate"), "found beside local_steps; accepted: one of the two");
  if (!asks_for_local_steps(s)) s.local_steps = 10;
  if (!s.correlation) s.correlation = 1;
  LocalSteps local;
  local.steps = s.local_steps.value_or(1);
  local.communicate = s.communicate.value_or(0);
  local.by_size = named.family == NamedSampler::Family::fa_ld;
  local.common = local.by_size ? *s.correlation * *s.correlation : *s.correlation;
  if (recipe.oracle == OracleKind::control) {
    if (!s.refresh_probability) s.refresh_probability = 1 / local.mean_steps();
    local.refresh = *s.refresh_probability;
  }
  local.emit_every = s.emit == "every";
  local.clip = s.clip;
  local.decaying = s.schedule == "decaying";
  // The decaying step 1/(2L + m k/12) has no other parameter; a step that was given is reported as unused.
  if (local.decaying) s.step.reset();
  complete_scheme(config, named, problems);
  recipe.local = local;
}

void check_local(const Config& config, Problems& problems, const Recipe& recipe, std::vector<std::string>& warnings) {
  if (!recipe.local) return;
  const LocalSteps& local = *recipe.local;
  const bool compressed = recipe.up.compressor.compresses() || !recipe.up.per_client.empty();
  if (recipe.prior_on_server)
    problems.add(key(config, "prior_at"),
                 "found \"server\", accepted for local steps: \"clients\" (the prior must act on every local step)");
  if (recipe.oracle == OracleKind::fixed_point || recipe.oracle == OracleKind::svrg)
    problems.add(key(config, "oracle"),
                 fmt::format("found \"{}\", accepted with local steps: \"full\", \"minibatch\", \"control\"",
                             config.sampler.oracle.value_or("")));
  if (recipe.up.memory == Memory::feedback)
    problems.add(key(config, "error_feedback"), "found true, accepted with local steps: false (use memory)");
  if (recipe.down.feedback)
    problems.add(key(config, "downlink"),
                 "found a compressed downlink, accepted with local steps: none, the average goes whole");
  if (compressed && local.common < 1)
    problems.add(key(config, "compressor"),
                 fmt::format("found \"{}\" with correlation {}: the message carries private noise, and compressing it "
                             "multiplies the target's variance by about 1+omega at every step size; accepted: "
                             "correlation = 1",
                             recipe.up.compressor.kind, *config.sampler.correlation));
  if (local.clip && recipe.oracle_name != "full" && recipe.oracle_name != "minibatch")
    problems.add(key(config, "clip"),
                 fmt::format("found with the oracle {}, accepted with: full, minibatch", recipe.oracle_name));
  const Participation& p = recipe.participation;
  if (p.policy == ParticipationPolicy::bernoulli && p.scaling == Scaling::inverse_probability)
    problems.add(
        config.file + ": participation.scaling",
        "found \"inverse-probability\", whose weights do not sum to one; accepted for averages: \"active\" with one "
        "probability");
  if (!local.by_size && p.policy == ParticipationPolicy::fixed_size && p.replacement)
    problems.add(config.file + ": participation.replacement",
                 "found true, accepted for averages with equal weights: false (or sampler.name = \"fa-ld\" with scheme "
                 "= \"I\")");
  if (compressed) warnings.push_back("compressed messages of local steps: this combination has no theory behind it");
  if (!local.by_size && p.policy != ParticipationPolicy::full)
    warnings.push_back(fmt::format("{} with absent clients: this combination has no theory behind it", recipe.name));
  if (local.by_size && p.policy != ParticipationPolicy::full && local.communicate > 0)
    warnings.push_back("fa-ld with random gaps and part of the clients: this combination has no theory behind it");
}

}  // namespace pollen
