// --share-draws: at the end of a run its draws go to the clients, who leave them as a run folder of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "federation/federation.h"
#include "sink/folder.h"
#include "sink/spool.h"

namespace pollen::app {

// The server's side: to everyone who is here, in blocks; every k-th draw where all would be more than 64 MiB.
void share_draws(ConnectionRegistry& registry, const sink::SpoolReader& spool);

// A client's side: what comes goes to the disk, and at the end into draws-*.csv, summary.json and config.toml.
class SharedDraws {
 public:
  explicit SharedDraws(const std::string& folder);  // ConfigError where the folder is not free
  void keep(const wire::Draws& message, const Participant& from);
  std::int64_t finish(const Participant& from);  // draws a chain; 0: none came, and nothing was written

 private:
  void begin(const Participant& from);

  sink::RunFolder folder_;
  std::unique_ptr<sink::SpoolWriter> spool_;
  std::vector<Panel> block_;  // a panel a chain
};

}  // namespace pollen::app
