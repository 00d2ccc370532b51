#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/words.h"
#include "baseline_rules.h"
#include "pollen/errors.h"

namespace pollen {

namespace baselines {
namespace {

void check_settings(const PersonalBaseline& baseline, const PersonalProblem& problem, const BaselineSettings& s) {
  Problems problems;
  const auto number = [&](const char* key, double found, bool good, const char* accepted) {
    if (good || !has_word(baseline.keys, key)) return;
    problems.add(fmt::format("sampler.{}", key), fmt::format("found {}, accepted: {}", found, accepted));
  };
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  number("step", s.step, positive(s.step), "a number above 0");
  number("local_steps", static_cast<double>(s.local_steps), s.local_steps >= 1, "1 or more");
  number("head_steps", static_cast<double>(s.head_steps), s.head_steps >= 1, "1 or more");
  number("server_step", s.server_step, positive(s.server_step), "a number above 0");
  number("penalty", s.penalty, s.penalty >= 0 && std::isfinite(s.penalty), "0 or more");
  number("mixture", s.mixture, s.mixture >= 0 && s.mixture <= 1, "a number from 0 to 1");
  number("aggregate", s.aggregate, s.aggregate >= 0 && s.aggregate < 1, "a number from 0 to below 1");
  number("inner_step", s.inner_step, s.inner_step >= 0 && std::isfinite(s.inner_step), "0 or more");
  if (problem.clients.empty() || problem.chains < 1)
    problems.add("sampler.name", "there are no clients or chains to train");
  problems.raise();
}

}  // namespace
}  // namespace baselines

const std::vector<PersonalBaseline>& baseline_table() {
  static const std::vector<PersonalBaseline> table = [] {
    std::vector<PersonalBaseline> rows;
    for (const baselines::Rule& rule : baselines::rules()) rows.push_back(rule.row);
    return rows;
  }();
  return table;
}

const PersonalBaseline* find_baseline(const std::string& name) {
  const auto& table = baseline_table();
  const auto at = std::ranges::find_if(table, [&](const PersonalBaseline& b) { return b.name == name; });
  return at == table.end() ? nullptr : &*at;
}

Baseline make_baseline(const std::string& name, const PersonalProblem& problem, const BaselineSettings& settings) {
  std::vector<std::string> names;
  for (const baselines::Rule& rule : baselines::rules()) {
    names.emplace_back(rule.row.name);
    if (name != rule.row.name) continue;
    baselines::check_settings(rule.row, problem, settings);
    const auto rounds = std::make_shared<const baselines::Rounds>(rule, problem, settings);
    return {
        baselines::make_work(rounds), baselines::make_step(rounds),
        [rounds](Index client, std::span<const double> position, std::span<const double> latents, std::span<double> w) {
          std::ranges::copy(position, w.begin());
          baselines::personalise(*rounds, client, latents, w);
        }};
  }
  refuse_name("sampler.name", name, names);
}

}  // namespace pollen
