#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "recipe/config_difference.h"

namespace pollen {

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

// Splits the text that to_toml writes, one key per line under section names in brackets, into its entries.
Entries entries_of(const std::string& toml) {
  Entries entries;
  std::string section;
  int clients = 0;
  for (std::size_t from = 0; from < toml.size();) {
    const std::size_t end = std::min(toml.find('\n', from), toml.size());
    const std::string line = toml.substr(from, end - from);
    from = end + 1;
    const std::size_t equals = line.find(" = ");
    if (line == "[[client]]") {
      section = fmt::format("client {}: ", ++clients);
    } else if (line.starts_with('[')) {
      section = line.substr(1, line.find(']') - 1) + '.';
    } else if (equals != std::string::npos && !line.starts_with('#')) {
      const std::string key = section + line.substr(0, equals);
      if (section != "output." || key == "output.lp") entries.emplace_back(key, line.substr(equals + 3));
    }
  }
  return entries;
}

std::string value_in(const Entries& entries, const std::string& key) {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; });
  return at == entries.end() ? "nothing" : at->second;
}

}  // namespace

std::optional<ConfigDifference> first_difference(const std::string& left, const std::string& right) {
  const Entries ours = entries_of(left), theirs = entries_of(right);
  if (ours == theirs) return std::nullopt;
  for (const auto& [key, value] : ours)
    if (const std::string other = value_in(theirs, key); other != value) return ConfigDifference{key, value, other};
  for (const auto& [key, value] : theirs)
    if (value_in(ours, key) != value) return ConfigDifference{key, "nothing", value};
  return std::nullopt;
}

}  // namespace pollen
