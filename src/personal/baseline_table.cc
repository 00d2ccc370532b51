#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/words.h"
#include "baseline_parts.h"
#include "pollen/errors.h"

namespace pollen {

namespace baselines {
namespace {

struct Entry {
  PersonalBaseline row;
  BaselinePointer (*make)(const PersonalProblem&, const BaselineSettings&);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      {{"local", "no paper", "every client by itself; nothing is sent", "step local_steps participation"}, make_local},
      {{"fedavg", "McMahan et al. 2017", "one model for all: local gradient steps, averaged",
        "step local_steps server_step participation"},
       make_fedavg},
      {{"scaffold", "Karimireddy et al. 2020", "fedavg with control variates (option II)",
        "step local_steps server_step participation"},
       make_scaffold},
      {{"fedrep", "Collins et al. 2021", "phi is averaged, every client keeps its z",
        "step local_steps head_steps server_step participation"},
       make_fedrep},
      {{"lg-fedavg", "Liang et al. 2020", "z is averaged, every client keeps its phi",
        "step local_steps server_step participation"},
       make_lg_fedavg},
      {{"ditto", "Li et al. 2021", "fedavg, and personal models drawn to its model",
        "step local_steps server_step penalty participation"},
       make_ditto},
      {{"apfl", "Deng et al. 2020", "mixtures of personal models and fedavg's",
        "step local_steps server_step mixture adapt_mixture participation"},
       make_apfl},
      {{"per-fedavg", "Fallah et al. 2020", "a model that is good after one gradient step (FO or HF)",
        "step local_steps server_step inner_step hessian_free participation"},
       make_per_fedavg},
      {{"l2gd", "Hanzely and Richtarik 2020", "personal models drawn to their mean at random times",
        "step penalty aggregate participation"},
       make_l2gd},
  };
  return table;
}

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
    for (const baselines::Entry& entry : baselines::entries()) rows.push_back(entry.row);
    return rows;
  }();
  return table;
}

const PersonalBaseline* find_baseline(const std::string& name) {
  const auto& table = baseline_table();
  const auto at = std::ranges::find_if(table, [&](const PersonalBaseline& b) { return b.name == name; });
  return at == table.end() ? nullptr : &*at;
}

std::unique_ptr<PersonalEngine> make_baseline(const std::string& name, const PersonalProblem& problem,
                                              const BaselineSettings& settings) {
  std::vector<std::string> names;
  for (const baselines::Entry& entry : baselines::entries()) {
    names.emplace_back(entry.row.name);
    if (name != entry.row.name) continue;
    baselines::check_settings(entry.row, problem, settings);
    return entry.make(problem, settings);
  }
  refuse_name("sampler.name", name, names);
}

}  // namespace pollen
