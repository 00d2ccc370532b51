#include "pollen/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pollen {

namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& p : problems) {
    if (!text.empty()) text += '\n';
    text += p.where.empty() ? p.what : p.where + ": " + p.what;
  }
  return text;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {
  if (problems_.size() > kMost) problems_.resize(kMost);
}

void Problems::add(std::string where, std::string what) {
  if (!full()) found_.push_back({std::move(where), std::move(what)});
}

void Problems::raise() const {
  if (!found_.empty()) throw ConfigError(found_);
}

std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& names) {
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

NumericError::NumericError(const std::string& what, std::int64_t round, std::int64_t client)
    : std::runtime_error(client < 0 ? fmt::format("round {}: {}", round, what)
                                    : fmt::format("round {}, client {}: {}", round, client + 1, what)) {}

}  // namespace pollen
