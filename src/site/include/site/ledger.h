// A site's ledger: what it has answered, in which study, over which rows. It is a file of lines, each of which has the
// SHA-256 of its text and of the line before it, so that no line can be changed, taken out or put in without a change
// of the last hash, the head, which a data protection officer may keep (docs/policy.md has the format).
//
// DIR/ledger is only appended to, and DIR/key has the site's secret key, by which rows are told apart without saying
// which they are: for every row that a run uses, the ledger has 64 bits of an HMAC-SHA256. Both may be read by their
// owner alone. Several processes may use a ledger at the same time. One thread per object.
//
//   Ledger ledger(default_ledger_folder());
//   LedgerRun run{.run = name, .contract = ..., .data = ..., .rows_by = "column patient", .rows = ...};
//   const std::vector<Finding> findings = ledger.begin(policy, run, {});        // empty: it is in the ledger
//   ledger.count({name, 0, 1, 0.1, false, data});                               // before it is answered
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "site/policy.h"

namespace pollen {

// A run as the ledger has it.
struct LedgerRun {
  std::string run;                         // the server's name for it
  std::string began = {};                  // the time, in UTC
  std::string contract = {};               // SHA-256
  std::string data = {};                   // SHA-256 of the data file
  std::string rows_by = {};                // what of a row was hashed; runs that differ here cannot be compared
  std::vector<std::uint64_t> rows = {};    // rising
  std::int64_t questions = 0, rounds = 0;  // answered, at most
  std::optional<double> epsilon = {};      // spent, at most
  bool ended = false;
  std::string instead = {}, instead_data = {};  // the run, and its data, of which this one took the place
  bool superseded = false;                      // whether another run took its place
  std::int64_t entries = 0;                     // how often its counts were entered
  bool answered() const { return questions > 0 || rounds > 0; }
};

// What lets a run begin although there were others over the same rows.
struct Leave {
  bool new_run = false;  // the site has said so
  // The client begins this run over these data anew with another file, before anything about its rows was sent.
  std::string run = {}, data = {};
};

// How far a run is.
struct LedgerCounts {
  std::string run;
  std::int64_t questions = 0, rounds = 0;
  std::optional<double> epsilon = {};
  bool ended = false;
  std::string data = {};  // a run may have several clients here, with a data file each
  bool operator==(const LedgerCounts&) const = default;
};

// The whole text of a ledger, checked.
struct LedgerText {
  std::vector<LedgerRun> runs;
  std::string head;  // the last line's hash; that of an empty ledger before the first line
  std::int64_t lines = 0;
  std::size_t whole = 0;  // bytes up to the end of the last whole line; a line that was not finished follows
};
// Throws ConfigError that names the line if the chain is broken or a line is not a ledger's. A last line without its
// end is not one: whoever wrote it was killed before anybody relied on it.
LedgerText parse_ledger(std::string_view text, const std::string& file);
// Reads a ledger without changing anything. Throws ConfigError, or IoError if there is none.
LedgerText read_ledger(const std::string& folder);

// $XDG_STATE_HOME/pollen/ledger, or ~/.local/state/pollen/ledger. Throws ConfigError if neither is known.
std::string default_ledger_folder();

class Ledger {
 public:
  explicit Ledger(std::string folder);  // made if it does not exist; throws ConfigError or IoError

  const std::string& folder() const { return folder_; }
  const LedgerText& text() const { return text_; }
  std::uint64_t row(std::string_view text) const;  // 64 bits of the row's HMAC
  // Names what of a row was hashed, with 64 bits that depend on it and on the key. Rows that are named differently
  // cannot be compared.
  std::string rows_by(const std::string& what) const;

  // Returns what speaks against a run, unless it is there already and goes on: the policy's runs_per_data, which
  // --new-run sets aside, and its min_row_difference.
  std::vector<Finding> against(const Policy& policy, const LedgerRun& run, const Leave& leave);
  // Enters a run, unless it is there already or something speaks against it, which is returned.
  std::vector<Finding> begin(const Policy& policy, LedgerRun run, const Leave& leave);
  // Enters how far a run is. Durable when it returns. `entries` is how often that was done before; throws ConfigError
  // if another client has done it, too.
  void count(const LedgerCounts& counts, std::optional<std::int64_t> entries = {});
  // What was entered last for a run over these data that has begun, and how often.
  LedgerCounts counts(const std::string& run, const std::string& data) const;
  std::int64_t entries(const std::string& run, const std::string& data) const;

 private:
  class Lock;
  std::string file() const { return folder_ + "/ledger"; }
  bool goes_on(const LedgerRun& run);
  std::vector<Finding> findings(const Policy& policy, const LedgerRun& run, const Leave& leave);
  void read_key();
  void catch_up();  // reads what other processes have appended, and takes away a line that was not finished
  void append(const std::string& entry);

  std::string folder_;
  std::string key_;
  LedgerText text_;
};

// Whether a run takes the place of an earlier one, about whose rows nothing was sent.
bool takes_the_place(const LedgerRun& run, const LedgerRun& other, const Leave& leave);

// What an earlier run says against one over these rows, or an empty list.
std::vector<Finding> compare_runs(const Policy& policy, const std::vector<LedgerRun>& earlier, const LedgerRun& run,
                                  const Leave& leave);

}  // namespace pollen
