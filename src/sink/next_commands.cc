#include "sink/next_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace pollen::sink {

namespace {

// Returns the options of `pollen predict` for this run, or nothing if it cannot predict.
std::string prediction(const Summary& summary, const Ending& ending) {
  const RunFacts& f = summary.facts;
  if (!f.predicts || f.status == RunStatus::failed) return "";
  if (f.first_client.empty()) return ending.draws ? "--data FILE" : "";
  const bool estimates = !summary.last.empty() && f.states == States::estimates;
  if (!estimates && (!ending.draws || !f.exact)) return "";
  // The server of a federation does not have the rows by which a client of the run is known.
  return f.federation ? "--new-client --data FILE" : fmt::format("--client {} --data FILE", shell_word(f.first_client));
}

// Whether the draws can be compared with others: parameter by parameter, or a network's by its predictions of classes.
bool comparable(const Summary& summary, const Ending& ending) {
  if (!ending.draws || summary.facts.status == RunStatus::failed) return false;
  return summary.facts.states == States::draws ||
         (summary.facts.states == States::weights && !summary.confidence.empty());
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "_-./=:,+@%";
  const bool plain = !word.empty() && word.front() != '-' && std::ranges::all_of(word, [&](unsigned char c) {
    return (c < 128 && std::isalnum(c) != 0) || c >= 128 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::vector<std::string> next_commands(const Summary& summary, const Ending& ending) {
  if (summary.draws == 0) return {};
  const std::string folder = shell_word(ending.folder);
  std::vector<std::string> out = {"pollen summary " + folder};
  if (ending.pages) out.push_back("pollen report " + folder);
  if (const std::string options = prediction(summary, ending); !options.empty())
    out.push_back(fmt::format("pollen predict {} {}", folder, options));
  if (comparable(summary, ending)) out.push_back(fmt::format("pollen compare {} REFERENCE", folder));
  return out;
}

}  // namespace pollen::sink
