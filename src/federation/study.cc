#include "study.h"

#include <fmt/format.h>

#include <algorithm>

#include "pollen/errors.h"

namespace pollen {

namespace {

// With a larger ε, noise bounds nothing that matters; a site that wants to accept it says so (max_epsilon).
constexpr double kWeakest = 20;

std::optional<double> delta_of(const PrivacyConfig& p) {
  return p.delta_0 && p.delta_1 && p.delta_2 ? *p.delta_0 + *p.delta_1 + *p.delta_2 : p.delta;
}

// Returns why (ε, δ) protects no row, or an empty text.
std::string why_weak(const Policy& policy, const Config& config, std::optional<Index> rows) {
  const auto most = epsilon_limit(policy, config);
  if (!most) return "neither privacy.target_epsilon nor the policy's max_epsilon limits it";
  if (!policy.max_epsilon && *most > kWeakest)
    return fmt::format(
        "its privacy.target_epsilon is {:g}, above {:g}, where noise hides nothing (max_epsilon in the "
        "policy may allow it)",
        *most, kWeakest);
  const auto delta = delta_of(config.privacy);
  if (!policy.max_delta && delta && rows && *delta * static_cast<double>(*rows) > 1)
    return fmt::format(
        "its privacy.delta is {:g}, more than one in {} rows, with which a row may be shown whole "
        "(max_delta in the policy may allow it)",
        *delta, *rows);
  return {};
}

// Returns why a study's answers are exact, or an empty text if this client can hold them to (ε, δ) by its own account.
// Levels may be shown, because they are names and no sums over rows. The configuration is a completed one.
std::string why_exact(const Policy& policy, const Config& config, std::optional<Index> rows) {
  if (!asks_for_privacy(config)) return "it has no section [privacy]";
  if (config.sampler.name != "fa-ld" || !config.sampler.clip)
    return "its sampler adds no noise to clipped gradients (fa-ld with sampler.clip does)";
  for (const UncoveredQuery& look : uncovered_queries(config, true))
    if (look.name != "levels") return fmt::format("it looks at the data without noise ({})", look.what);
  if (config.sampler.emit == "every") return "it shows positions between messages (sampler.emit = \"every\")";
  return why_weak(policy, config, rows);
}

// Returns the share of the rounds for which a client is drawn.
double share_of_rounds(const Participation& p, Index clients) {
  if (p.policy == ParticipationPolicy::bernoulli && !p.probability.empty())
    return *std::ranges::max_element(p.probability);
  if (p.policy == ParticipationPolicy::fixed_size)
    return std::min(1.0, static_cast<double>(p.size) / static_cast<double>(clients));
  return 1;
}

StudyFacts facts_of_config(const Policy& policy, Config config, Index clients, std::optional<Index> rows) {
  std::vector<std::string> warnings;
  const Recipe recipe = complete(config, clients, kAnyDimension, warnings);
  StudyFacts facts;
  facts.sampler = config.sampler.name;
  facts.clients = clients;
  if (!config.federation.fingerprints.empty()) facts.peers = config.federation.fingerprints;
  facts.rows = rows;
  facts.exact = why_exact(policy, config, rows);
  if (!facts.exact.empty() && target_of(config) != TargetKind::none) facts.min_cell = config.data.min_cell;
  const PrivacyConfig& p = config.privacy;
  facts.epsilon = p.target_epsilon;
  facts.delta = delta_of(p);
  facts.rounds = static_cast<double>(config.run.iterations) / (recipe.local ? recipe.local->mean_steps() : 1) *
                 share_of_rounds(recipe.participation, clients);
  if (!rows) return facts;
  if (!recipe.batch.all() && recipe.batch.of(*rows) < *rows) facts.batch = recipe.batch.of(*rows);
  if (config.warm_up.epochs > 0 && config.warm_up.batch < *rows) facts.warm_up_batch = config.warm_up.batch;
  return facts;
}

SiteStudy look_at_part(const ParticipantOptions& options, const Config& config, Index clients) {
  SiteStudy study;
  study.problem = make_problem(config);
  if (study.problem->clients() != clients)
    throw ConfigError("--config",
                      fmt::format("found {} clients, the server expects {}", study.problem->clients(), clients));
  const auto part = static_cast<std::size_t>(options.part);
  const Federation& data = study.problem->data;
  StudyFacts facts = facts_of_config(options.policy, config, clients, study.problem->rows[part]);
  if (part + 1 < data.test_begin.size()) facts.test_rows = data.test_begin[part + 1] - data.test_begin[part];
  for (const std::string& name : data.layout.columns) facts.columns.push_back({name});
  for (StudyColumn& column : facts.columns)
    if (const auto at = data.layout.levels.find(column.name); at != data.layout.levels.end())
      column.levels = std::ssize(at->second);
  raise(options.policy, check(options.policy, facts));
  return study;
}

// Names are checked even if the cells cannot be used, so that somebody who has to take a column out of a file is not
// told to repair it first.
SiteStudy look_at_file(const ParticipantOptions& options, const Config& config, const SitePlace& place,
                       const Ledger* ledger) {
  SiteStudy study;
  const TargetKind target = target_of(config);
  const std::vector<std::string> names = used_columns(options.data, config.data, target);
  std::vector<Problem> problems;
  FileFacts file;
  RowText each;
  if (ledger != nullptr)
    each = {options.policy.row_key, [&](std::string_view text) { study.rows.push_back(ledger->row(text)); }};
  try {
    file = file_facts(options.data, config.data, target, place.index, place.seed, each);
  } catch (const ConfigError& error) {
    problems = error.problems();
    if (std::string(error.what()).find("data.") != std::string::npos)
      problems.push_back({options.data,
                          "the keys of [data] belong to the study, whose hub can set them; this site can "
                          "change the file"});
  }
  const bool whole = problems.empty();
  StudyFacts facts =
      facts_of_config(options.policy, config, place.clients, whole ? std::optional<Index>(file.rows) : std::nullopt);
  if (whole) facts.test_rows = file.test_rows;
  for (const std::string& name : names) {
    const auto at = file.levels.find(name);
    facts.columns.push_back({name, at == file.levels.end() ? std::nullopt : std::optional(at->second)});
  }
  if (!problems.empty())
    problems.push_back({"",
                        "keys such as data.exclude are in the study, at the hub: ask there, or take these columns out "
                        "of the file"});
  raise(options.policy, check(options.policy, facts), std::move(problems));
  study.columns = std::move(file.columns);
  study.told_apart = std::move(file.told_apart);
  study.exact = !facts.exact.empty();
  std::ranges::sort(study.rows);
  return study;
}

}  // namespace

void raise(const Policy& policy, const std::vector<Finding>& findings, std::vector<Problem> more) {
  if (!findings.empty() || !more.empty()) throw StudyRefused(policy, findings, std::move(more));
}

std::optional<double> epsilon_limit(const Policy& policy, const Config& config) {
  const auto& target = config.privacy.target_epsilon;
  if (policy.trust_server || !target) return policy.max_epsilon;
  return std::min(*target, policy.max_epsilon.value_or(*target));
}

SiteStudy look_at_study(const ParticipantOptions& options, const Config& config, const SitePlace& place,
                        const Ledger* ledger) {
  const auto& known = config.federation.fingerprints;
  if (!known.empty() && std::ranges::count(known, options.fingerprint) == 0)
    throw ConfigError(config.file + ": federation.fingerprints",
                      fmt::format("found a list without this client's certificate, accepted: one that has {}",
                                  options.fingerprint.empty() ? "it (with TLS)" : options.fingerprint));
  return options.part >= 0 ? look_at_part(options, config, place.clients)
                           : look_at_file(options, config, place, ledger);
}

}  // namespace pollen
