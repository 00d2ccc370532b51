#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "data/client_files.h"
#include "phrases.h"
#include "pollen/data.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

// What of `other` is not as `first` has it; empty where all is.
std::string difference(const ColumnFacts& first, const ColumnFacts& other) {
  if (sorted(other.columns) != sorted(first.columns))
    return fmt::format("found the columns {}, accepted: {}, as the first client has them",
                       data::listed(other.columns, 10), data::listed(first.columns, 10));
  if (other.target != first.target)
    return fmt::format("found the target \"{}\", accepted: \"{}\", as the first client has it", other.target,
                       first.target);
  if (other.width != first.width)
    return fmt::format("found {} features, accepted: {}, as the first client has them", other.width, first.width);
  for (const auto& [name, levels] : first.levels)
    if (!other.levels.contains(name))
      return fmt::format("found numbers in column \"{}\", accepted: text, as the first client has it", name);
  for (const auto& [name, levels] : other.levels)
    if (!first.levels.contains(name))
      return fmt::format("found text in column \"{}\", accepted: numbers, as the first client has it", name);
  return {};
}

}  // namespace

bool same_columns(const ColumnFacts& a, const ColumnFacts& b) { return difference(a, b).empty(); }

ColumnFacts union_of(const std::vector<ColumnFacts>& clients, const std::vector<std::string>& names) {
  ColumnFacts all = clients.front();
  Problems problems;
  for (std::size_t i = 1; i < clients.size(); ++i) {
    if (const std::string what = difference(all, clients[i]); !what.empty()) {
      problems.add(fmt::format("client {}", names[i]), what);
      continue;
    }
    for (const auto& [name, levels] : clients[i].levels)
      all.levels[name].insert(all.levels[name].end(), levels.begin(), levels.end());
  }
  problems.raise();
  for (auto& [name, levels] : all.levels) {
    const std::set<std::string> once(levels.begin(), levels.end());
    levels.assign(once.begin(), once.end());  // whoever encodes sorts them as levels are sorted
  }
  return all;
}

}  // namespace pollen
