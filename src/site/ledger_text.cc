// The text of a ledger: one line per entry, "HASH JSON", where HASH is the SHA-256 of the previous hash and of JSON.
#include "ledger_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/sha256.h"

namespace pollen {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kHash = 64, kRowDigits = 16;
constexpr std::size_t kMostText = 200;

[[noreturn]] void refuse(const std::string& file, std::int64_t line, const std::string& found) {
  throw ConfigError(fmt::format("{}: line {}", file, line),
                    fmt::format("found {}, accepted: the lines that pollen wrote, unchanged (docs/policy.md)", found));
}

// Reads the fields of one entry, and remembers the first that is missing or wrong.
class EntryReader {
 public:
  explicit EntryReader(const Json& entry) : entry_(entry) {}

  std::string text(const char* name, std::size_t most = kMostText) {
    const auto at = entry_.find(name);
    if (at == entry_.end() || !at->is_string() || at->get_ref<const std::string&>().size() > most)
      return wrong(name), "";
    return at->get<std::string>();
  }
  std::int64_t count(const char* name) {
    const auto at = entry_.find(name);
    const bool whole = at != entry_.end() && at->is_number_unsigned() &&
                       at->get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!whole) wrong(name);
    return whole ? at->get<std::int64_t>() : 0;
  }
  std::optional<double> number(const char* name) {
    const auto at = entry_.find(name);
    if (at == entry_.end() || at->is_null()) return std::nullopt;
    if (!at->is_number()) wrong(name);
    return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
  }
  bool has(const char* name) const { return entry_.contains(name); }
  bool truth(const char* name) {
    const auto at = entry_.find(name);
    if (at == entry_.end() || !at->is_boolean()) return wrong(name), false;
    return at->get<bool>();
  }
  std::vector<std::uint64_t> rows(const char* name) {
    const std::string digits = text(name, std::numeric_limits<std::size_t>::max());
    std::vector<std::uint64_t> all;
    if (digits.size() % kRowDigits != 0 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      return wrong(name), all;
    for (std::size_t at = 0; at < digits.size(); at += kRowDigits)
      all.push_back(std::stoull(digits.substr(at, kRowDigits), nullptr, 16));
    if (!std::ranges::is_sorted(all)) wrong(name);
    return all;
  }

  void wrong(const char* name) {
    if (wrong_.empty()) wrong_ = name;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Json& entry_;
  std::string wrong_;
};

void take_run(EntryReader& reader, LedgerText& text) {
  LedgerRun run;
  run.run = reader.text("run");
  run.began = reader.text("time");
  run.contract = reader.text("contract");
  run.data = reader.text("data");
  run.rows_by = reader.text("rows_by");
  run.rows = reader.rows("rows");
  if (find_run(text.runs, run.run, run.data) != nullptr) reader.wrong("run");
  if (reader.has("instead")) {
    run.instead = reader.text("instead");
    run.instead_data = reader.text("instead_data");
    LedgerRun* before = find_run(text.runs, run.instead, run.instead_data);
    if (before == nullptr) reader.wrong("instead");
    if (before != nullptr) before->superseded = true;
  }
  text.runs.push_back(std::move(run));
}

void take_counts(EntryReader& reader, LedgerText& text) {
  LedgerRun* run = find_run(text.runs, reader.text("run"), reader.text("data"));
  if (run == nullptr) return reader.wrong("run");
  run->questions = reader.count("questions");
  run->rounds = reader.count("rounds");
  run->epsilon = reader.number("epsilon");
  run->ended = reader.truth("ended");
  ++run->entries;
}

}  // namespace

std::string empty_head() { return hex(sha256("pollen-ledger-v1")); }

std::string line_of(const std::string& head, const std::string& entry) {
  return fmt::format("{} {}\n", hex(sha256(head + entry)), entry);
}

LedgerRun* find_run(std::vector<LedgerRun>& runs, const std::string& name, const std::string& data) {
  const auto at = std::ranges::find_if(runs, [&](const LedgerRun& r) { return r.run == name && r.data == data; });
  return at == runs.end() ? nullptr : &*at;
}

std::string entry_of(const LedgerRun& run) {
  std::string rows;
  for (const std::uint64_t row : run.rows) rows += fmt::format("{:016x}", row);
  Json entry{{"entry", "run"},   {"run", run.run},         {"time", run.began}, {"contract", run.contract},
             {"data", run.data}, {"rows_by", run.rows_by}, {"rows", rows}};
  if (!run.instead.empty()) entry["instead"] = run.instead, entry["instead_data"] = run.instead_data;
  return entry.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string entry_of(const LedgerCounts& counts, const std::string& time) {
  Json entry{{"entry", "counts"},
             {"run", counts.run},
             {"data", counts.data},
             {"time", time},
             {"questions", static_cast<std::uint64_t>(counts.questions)},
             {"rounds", static_cast<std::uint64_t>(counts.rounds)},
             {"ended", counts.ended}};
  if (counts.epsilon) entry["epsilon"] = *counts.epsilon;
  return entry.dump(-1, ' ', true, Json::error_handler_t::replace);
}

void take_lines(std::string_view more, const std::string& file, LedgerText& ledger) {
  std::size_t from = 0;
  for (std::size_t end; (end = more.find('\n', from)) != std::string_view::npos; from = end + 1) {
    const std::string_view line = more.substr(from, end - from);
    ++ledger.lines;
    if (line.size() < kHash + 2 || line[kHash] != ' ') refuse(file, ledger.lines, "no hash and entry");
    const std::string entry(line.substr(kHash + 1));
    const std::string hash = hex(sha256(ledger.head + entry));
    if (line.substr(0, kHash) != hash)
      refuse(file, ledger.lines, "a hash that does not follow from this line and those before it");
    const Json json = Json::parse(entry, nullptr, false);
    EntryReader reader(json);
    const std::string kind = json.is_object() ? reader.text("entry") : "";
    if (kind == "run")
      take_run(reader, ledger);
    else if (kind == "counts")
      take_counts(reader, ledger);
    else
      refuse(file, ledger.lines, "no entry of a run or of counts");
    if (!reader.wrong().empty())
      refuse(file, ledger.lines, fmt::format("an entry whose \"{}\" is missing or wrong", reader.wrong()));
    ledger.head = hash;
  }
  ledger.whole += from;
}

LedgerText parse_ledger(std::string_view text, const std::string& file) {
  LedgerText ledger;
  ledger.head = empty_head();
  take_lines(text, file, ledger);
  return ledger;
}

}  // namespace pollen
