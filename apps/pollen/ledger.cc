// pollen ledger, what a site has answered: one line per run, and the head of the chain.
#include "site/ledger.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

std::string json_of(const std::string& folder, const LedgerText& ledger) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const LedgerRun& run : ledger.runs)
    runs.push_back({{"run", run.run},
                    {"began", run.began},
                    {"contract", run.contract},
                    {"data", run.data},
                    {"rows", run.rows.size()},
                    {"rows_by", run.rows_by},
                    {"questions", run.questions},
                    {"rounds", run.rounds},
                    {"epsilon", run.epsilon ? nlohmann::ordered_json(*run.epsilon) : nullptr},
                    {"ended", run.ended},
                    {"replaced", run.superseded}});
  const nlohmann::ordered_json all = {
      {"folder", folder}, {"lines", ledger.lines}, {"head", ledger.head}, {"runs", runs}};
  return all.dump(2) + '\n';
}

std::string text_of(const LedgerText& ledger) {
  constexpr std::size_t kShort = 16;  // digits of a hash that a table shows
  sink::TextTable table({"run", "began", "rows", "questions", "rounds", "epsilon", "contract", "data", "state"});
  for (const std::size_t column : {1U, 6U, 7U, 8U}) table.left(column);
  for (const LedgerRun& run : ledger.runs)
    table.row({run.run.substr(0, kShort), run.began, sink::grouped(std::ssize(run.rows)), sink::grouped(run.questions),
               sink::grouped(run.rounds), run.epsilon ? sink::short_number(*run.epsilon) : "none",
               run.contract.substr(0, kShort), run.data.substr(0, kShort),
               run.superseded ? "replaced"
               : run.ended    ? "ended"
                              : "open"});
  return fmt::format("{}\n  {} line{}, head {}\n", table.text("  "), ledger.lines, ledger.lines == 1 ? "" : "s",
                     ledger.head);
}

}  // namespace

int ledger_command(const LedgerOptions& options) {
  const std::string folder = options.folder.empty() ? default_ledger_folder() : options.folder;
  if (!std::filesystem::exists(folder + "/ledger")) {
    print(options.json ? json_of(folder, parse_ledger("", folder)) : fmt::format("  {} has no ledger yet\n", folder));
    return kDone;
  }
  const LedgerText ledger = read_ledger(folder);
  print(options.json ? json_of(folder, ledger) : text_of(ledger));
  return kDone;
}

}  // namespace pollen::app
