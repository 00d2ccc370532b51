// What a client keeps on its disk, in the folder of --state:
//
//   client.state      who this client is, and for every data file the run that it is bound to
//   run-<id>.state    a run: the secret seed, what was settled in set-up, and the reply that may have been counted
//   run-<id>.answers  what was answered in that run (question_counts.h), also under its later names
//   run-<id>.toml     the contract of that run
//
// <id> is made of the run's name. Runs never overwrite each other, so that a server with the wrong state destroys
// nothing here. All but the contract are sealed files (base/sealed_file.h) with an Archive in them, and the state of a
// run is a journal of such Archives (base/journal.h). Only the user may read the folder, and it is locked while the
// client runs. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/journal.h"
#include "base/sealed_file.h"
#include "pollen/recipe.h"
#include "pollen/types.h"
#include "question_counts.h"

namespace pollen {

// A client in one run.
struct ClientState {
  std::string run;              // empty before the first
  std::string entered;          // the run's first name, under which it is in the site's ledger
  std::uint64_t seed = 0;       // the client's secret
  std::string data;             // what its rows are (data_print); never leaves the client
  std::uint64_t committed = 0;  // the last counted reply that the memory includes: 1 + the iteration its turn began at
  std::uint64_t pending = 0;    // the reply that was sent last, numbered in the same way; 0 if none
  bool over = false;            // the server has said that the run is complete
  bool has_client = false;
  Bytes client;                        // the client's archive
  Bytes reply;                         // the pending reply's frame
  Bytes moved;                         // what the client needs to update its memory by that reply
  std::vector<std::uint64_t> content;  // the digest of what the pending reply answers
  std::uint64_t reached = 0;           // local steps: the iteration at which the last segment that was walked ended
  std::uint64_t names = 0;             // how many other names a server has given this run
  // What a server settles once in a run; empty or 0 before it has.
  StepSize step;
  double weight = 0;
  std::vector<std::uint64_t> place;          // this client's number and how many there are
  std::string layout, scaling, coordinates;  // SHA-256
};

class ClientStateFile {
 public:
  // An empty folder means that everything is kept in memory only. Throws ConfigError or IoError.
  explicit ClientStateFile(std::string folder);

  std::uint64_t instance() const { return instance_; }  // tells this folder from others
  // Takes up the run to which the data are bound, or without one the run that this folder began last.
  void open(const std::string& data);
  bool bound(const std::string& data) const { return bound_.contains(data); }
  bool knows(const std::string& run) const;  // whether that run was begun here
  void load(const std::string& run);         // a run that is known
  void bind();                               // binds the present run's data to it
  // Begins a run under a contract and binds its data to it.
  void begin(const std::string& run, const std::string& data, const std::string& contract, std::uint64_t seed);
  // Gives the present run another name. Its seed, its contract, its name in the ledger and what was answered are the
  // same under all its names.
  void go_on_as(const std::string& run);

  ClientState& state() { return state_; }
  const ClientState& state() const { return state_; }
  const std::string& contract() const { return contract_; }  // the text of contract.toml; empty before a run
  QuestionCounts& counts() { return counts_; }
  const QuestionCounts& counts() const { return counts_; }
  // The name under which this run's rounds have begun; empty before. write_counts() keeps it.
  const std::string& rounds_under() const { return rounds_under_; }
  void begin_rounds() { rounds_under_ = state_.run; }
  // How often what was answered was put into the ledger. write_counts() keeps it.
  std::int64_t& ledger_entries() { return ledger_entries_; }
  // Durable on the disk when they return.
  void write();
  void write_counts();
  // Settles a fact of the run: keeps the first value, and returns whether `told` is the one that is kept. Writes only
  // when a value is kept: once a reply is counted, the state is not one to begin from again until the next reply is
  // kept with it.
  template <class Value>
  bool settle(Value& kept, const Value& told) {
    if (kept == Value{} && !(told == Value{})) {
      kept = told;
      write();
    }
    return kept == told;
  }

 private:
  bool has(const std::string& file) const;
  template <class Fields>
  void read_fields(const std::string& file, const Seal& seal, const Fields& fields) const;
  void write_sealed(const std::string& file, const Seal& seal, const Bytes& body);
  void write_run();
  void write_index();
  void read_index();

  std::string folder_;
  std::optional<FolderLock> lock_;
  std::map<std::string, Bytes> memory_;  // the files of a client without a folder
  std::uint64_t instance_ = 0;
  std::string latest_;                        // the run that was begun or taken up last
  std::map<std::string, std::string> bound_;  // the run of every data file
  ClientState state_;
  std::unique_ptr<Journal> journal_;  // of the state of the present run, once it was written
  std::string contract_;
  QuestionCounts counts_;
  std::string rounds_under_;
  std::int64_t ledger_entries_ = 0;
};

// The SHA-256 of a file's content in hexadecimal digits. Throws IoError.
std::string print_of_file(const std::string& path);

}  // namespace pollen
