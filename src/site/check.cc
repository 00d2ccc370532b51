// Holds a study against a policy. Each part of the policy has one function, which adds what it finds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "site/policy.h"

namespace pollen {

namespace {

// What is checked, and what was found so far.
class Check {
 public:
  Check(const Policy& policy, const StudyFacts& study) : policy_(policy), study_(study) {}

  std::vector<Finding> all() {
    trust();
    sites();
    sizes();
    columns();
    for (const StudyColumn& column : study_.columns) levels(column);
    sampling();
    privacy();
    return std::move(findings_);
  }

 private:
  template <class... Parts>
  void add(const char* key, std::string found, fmt::format_string<Parts...> accepted, Parts&&... parts) {
    findings_.push_back({key, std::move(found), fmt::format(accepted, std::forward<Parts>(parts)...)});
  }

  void trust() {
    if (policy_.trust_server || study_.exact.empty()) return;
    add("trust_server",
        fmt::format("a study whose answers are exact, because {}, and from exact answers a hub that wants to can "
                    "reconstruct rows of this site whatever the other limits are",
                    study_.exact),
        "a study with [privacy], or your word that the hub does not do so, which is join --trust-server or "
        "trust_server = true");
  }

  void sites() {
    if (study_.clients < policy_.min_clients)
      add("min_clients", fmt::format("{} sites", study_.clients), "at least {}", policy_.min_clients);
    if (policy_.secure_sums == "required" && !study_.secure_sums)
      add("secure_sums", "a study without secure sums", "one with them, or secure_sums = \"allowed\"");
    if (policy_.peers && !study_.peers)
      add("peers", "a study that does not tell its sites' certificates", "one that does, or no key peers");
    else if (policy_.peers)
      for (const std::string& peer : *study_.peers)
        if (std::ranges::count(*policy_.peers, peer) == 0)
          add("peers", "the certificate " + peer, "{}", fmt::join(*policy_.peers, ", "));
    if (!study_.plugin.empty() && std::ranges::count(policy_.plugins, study_.plugin) == 0)
      add("plugins", "the plug-in " + study_.plugin, "{}",
          policy_.plugins.empty() ? "none" : fmt::format("{}", fmt::join(policy_.plugins, ", ")));
  }

  void sizes() {
    const auto least = [&](const char* key, std::optional<Index> found, const char* what, Index limit) {
      if (found && *found < limit) add(key, fmt::format("{} {}", *found, what), "at least {}", limit);
    };
    least("min_rows", study_.rows, "training rows", policy_.min_rows);
    if (study_.test_rows.value_or(0) > 0) least("min_test_rows", study_.test_rows, "test rows", policy_.min_test_rows);
    least("min_batch", study_.batch, "rows in a minibatch", policy_.min_batch);
    if (study_.min_cell && *study_.min_cell < policy_.min_cell)
      add("min_cell", fmt::format("a study with data.min_cell = {}", *study_.min_cell), "at least {}",
          policy_.min_cell);
    least("min_batch", study_.warm_up_batch, "rows in a minibatch of the warm-up", policy_.min_batch);
  }

  void columns() {
    for (const StudyColumn& column : study_.columns) {
      if (policy_.columns && std::ranges::count(*policy_.columns, column.name) == 0)
        add("columns", fmt::format("the column \"{}\"", column.name), "{}", fmt::join(*policy_.columns, ", "));
      if (const auto word = denied_word(column.name, policy_.deny_columns))
        add("deny_columns", fmt::format("the column \"{}\", whose name has the word {}", column.name, *word),
            "columns without it (data.features names those that a study uses)");
    }
  }

  void levels(const StudyColumn& column) {
    if (!policy_.max_levels || !column.levels) return;
    constexpr Index kTwo = 2;  // a text column that is of any use has two levels
    const Index third = std::max(kTwo, study_.rows.value_or(0) / 3);
    if (*column.levels > *policy_.max_levels || (study_.rows && *column.levels > third))
      add("max_levels", fmt::format("{} levels in the column \"{}\"", *column.levels, column.name),
          "at most {}, and at most a third of the rows", *policy_.max_levels);
  }

  void sampling() {
    if (policy_.samplers && std::ranges::count(*policy_.samplers, study_.sampler) == 0)
      add("samplers", fmt::format("the sampler {}", study_.sampler), "{}", fmt::join(*policy_.samplers, ", "));
    if (policy_.max_rounds && study_.rounds > static_cast<double>(*policy_.max_rounds))
      add("max_rounds", fmt::format("a study of {:.0f} rounds", std::ceil(study_.rounds)), "at most {}",
          *policy_.max_rounds);
  }

  void privacy() {
    if (policy_.max_epsilon && study_.epsilon && *study_.epsilon > *policy_.max_epsilon)
      add("max_epsilon", fmt::format("a study that may spend epsilon {:g}", *study_.epsilon), "at most {:g}",
          *policy_.max_epsilon);
    if (policy_.max_delta && study_.delta && *study_.delta > *policy_.max_delta)
      add("max_delta", fmt::format("delta {:g}", *study_.delta), "at most {:g}", *policy_.max_delta);
  }

  const Policy& policy_;
  const StudyFacts& study_;
  std::vector<Finding> findings_;
};

std::vector<Problem> problems_of(const Policy& policy, const std::vector<Finding>& findings,
                                 std::vector<Problem> more) {
  std::vector<Problem> problems;
  for (const Finding& finding : findings) problems.push_back(finding.problem(policy));
  problems.insert(problems.end(), more.begin(), more.end());
  return problems;
}

}  // namespace

// The word of trust is asked for in two sentences, because somebody has to give it.
Problem Finding::problem(const Policy& policy) const {
  const char* join = key == "trust_server" ? ". Accepted:" : ", accepted:";
  return {fmt::format("{}: {}", policy.where, key), fmt::format("found {}{} {}", found, join, accepted)};
}

std::vector<Finding> check(const Policy& policy, const StudyFacts& study) { return Check(policy, study).all(); }

StudyRefused::StudyRefused(const Policy& policy, const std::vector<Finding>& findings, std::vector<Problem> more)
    : ConfigError(problems_of(policy, findings, std::move(more))) {
  std::vector<std::string> keys;
  for (const Finding& finding : findings)
    if (std::ranges::count(keys, finding.key) == 0) keys.push_back(finding.key);
  told_ = keys.empty()
              ? "it cannot go on; its own log says why"
              : fmt::format("its policy does not allow this study ({}); its own log says why", fmt::join(keys, ", "));
}

}  // namespace pollen
