// Keeps a client's state on its disk: its secret seed, its state in the run, and the reply that may or may not have
// been counted. DIR/client.state is a sealed file (base/sealed_file.h) with an Archive in it. Only the user may read
// the folder, and it is locked while the client runs. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "pollen/types.h"

namespace pollen {

struct ClientState {
  std::uint64_t instance = 0;  // identifies the folder
  std::string run;
  std::uint64_t seed = 0;       // the client's secret
  std::uint64_t data = 0;       // fingerprint of the data file, which never leaves the client; 0 if none yet
  std::uint64_t committed = 0;  // the last counted reply that the memory includes: 1 + the iteration its turn began at
  std::uint64_t pending = 0;    // the reply that was sent last, numbered in the same way; 0 if none
  bool has_client = false;
  Bytes client;            // the client's archive
  Bytes reply;             // the pending reply's frame
  Bytes moved;             // what the client needs to update its memory by that reply
  std::int64_t turns = 0;  // turns answered in this run
};

std::uint64_t fingerprint_of(const std::string& path);  // never 0; throws IoError

class ClientStateFile {
 public:
  // An empty folder means that the state is kept in memory only. Throws ConfigError or IoError.
  explicit ClientStateFile(std::string folder);

  ClientState& state() { return state_; }
  const ClientState& state() const { return state_; }
  void write();  // durable on the disk when it returns

 private:
  std::string path() const { return folder_ + "/client.state"; }
  void read();

  std::string folder_;
  std::optional<FolderLock> lock_;
  ClientState state_;
};

}  // namespace pollen
