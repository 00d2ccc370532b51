// What a client keeps on its disk: its secret seed, its state in the run, the reply that may or may not have been
// counted.
//
// DIR/client.state is a sealed file (base/sealed_file.h) with an Archive in it. The folder is the user's alone and
// locked while the client runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "pollen/types.h"

namespace pollen {

struct ClientState {
  std::uint64_t instance = 0;  // of the folder
  std::string run;
  std::uint64_t seed = 0;       // secret
  std::uint64_t data = 0;       // fingerprint of the file it began with, which never leaves; 0: none yet
  std::uint64_t committed = 0;  // the last counted reply the memory has moved by: 1 + where its turn began
  std::uint64_t pending = 0;    // likewise, the reply that was sent last; 0: none
  bool has_client = false;
  Bytes client;            // the client's archive
  Bytes reply;             // the pending reply's frame
  Bytes moved;             // what the client needs to move by it
  std::int64_t turns = 0;  // answered in this run
};

std::uint64_t fingerprint_of(const std::string& path);  // of a file's bytes, not 0; IoError

class ClientStateFile {
 public:
  explicit ClientStateFile(std::string folder);  // empty: kept in memory only. ConfigError, IoError

  ClientState& state() { return state_; }
  const ClientState& state() const { return state_; }
  void write();  // durable when it returns

 private:
  std::string path() const { return folder_ + "/client.state"; }
  void read();

  std::string folder_;
  std::optional<FolderLock> lock_;
  ClientState state_;
};

}  // namespace pollen
