// Fuzzes ledgers. The input's lines are entries; with a first byte that is odd they get their right hashes, which would
// never be guessed. A ledger that is accepted is the same after another reading, and its whole lines are a beginning of
// the text. A policy is read from the same bytes.
#include "base/sha256.h"
#include "fuzz.h"
#include "site/ledger.h"

namespace pollen::fuzz {
namespace {

std::string with_hashes(const std::string& text) {
  std::string out, head = parse_ledger("", "").head;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string entry = text.substr(from, end - from);
    head = hex(sha256(head + entry));
    out += head + " " + entry + (end < text.size() ? "\n" : "");
    from = end + 1;
  }
  return out;
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const bool repaired = (input.byte() & 1) != 0;
  const std::string raw = input.text(), text = repaired ? with_hashes(raw) : raw;
  try {
    const LedgerText ledger = parse_ledger(text, "ledger");
    HOLDS(ledger.whole <= text.size());
    HOLDS(ledger.whole == 0 || text[ledger.whole - 1] == '\n');
    const LedgerText again = parse_ledger(std::string_view(text).substr(0, ledger.whole), "ledger");
    HOLDS(again.head == ledger.head && again.lines == ledger.lines && again.runs.size() == ledger.runs.size());
    for (const LedgerRun& run : ledger.runs) compare_runs(Policy(), ledger.runs, run, {});
  } catch (const ConfigError&) {
  }
  try {
    check(read_policy(raw, "policy.toml"), {});
  } catch (const ConfigError&) {
  }
  return 0;
}
