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

// The least number of insertions, deletions, substitutions and swaps of neighbouring letters that turns `a` into `b`
// (optimal string alignment).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {
  constexpr std::size_t kMostLines = 100;  // of a site's refusal, which has one or two per column
  if (problems_.size() > kMostLines) problems_.resize(kMostLines);
}

void Problems::add(std::string where, std::string what) {
  if (!full()) found_.push_back({std::move(where), std::move(what)});
}

void Problems::raise() const {
  if (!found_.empty()) throw ConfigError(found_);
}

std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& names) {
  std::optional<std::string> best;
  // A suggestion must keep at least one letter of the word, so a distance of the word's whole length does not count.
  // A name whose length differs by `least` or more cannot be near enough, so its distance is not computed.
  std::size_t least = std::min(std::max<std::size_t>(2, word.size() / 3) + 1, word.size());
  for (const std::string& name : names) {
    if (std::max(word.size(), name.size()) - std::min(word.size(), name.size()) >= least) continue;
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
