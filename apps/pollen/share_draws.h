// --share-draws: at the end of a run, the server sends the draws to its clients, and each client writes them as a run
// folder of its own. SharedDraws is not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "federation/federation.h"
#include "sink/folder.h"
#include "sink/spool.h"

namespace pollen::app {

// The server's side: sends the draws in blocks to all connected clients. It sends every k-th draw if all would take
// more than 64 MiB.
void share_draws(ConnectionRegistry& registry, const sink::SpoolReader& spool);

// A client's side: writes arriving draws to disk and, at the end, makes draws-*.csv, summary.json and config.toml of
// them.
class SharedDraws {
 public:
  explicit SharedDraws(const std::string& folder);  // throws ConfigError if the folder holds other files
  void keep(const wire::Draws& message, const Participant& from);
  // Returns the number of draws per chain. If it is 0, none came and nothing was written.
  std::int64_t finish(const Participant& from);

 private:
  void begin(const Participant& from);

  sink::RunFolder folder_;
  std::unique_ptr<sink::SpoolWriter> spool_;
  std::vector<Panel> block_;  // one panel per chain
};

}  // namespace pollen::app
