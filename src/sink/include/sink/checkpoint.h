// DIR/checkpoint holds everything that --resume needs, in one sealed file (base/sealed_file.h), which is either
// complete or refused. The body is an Archive of the fields below, followed by the experiment's state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::sink {

struct Checkpoint {
  bool finished = false;     // outputs are written and nothing is left to do
  std::string config_given;  // the configuration before set-up, with step = "auto" if the user wrote that
  std::string config_used;   // the configuration after set-up, as in DIR/config.toml
  std::int64_t draws = 0;    // kept draws per chain in the spool
  std::int64_t metrics_bytes = 0;
  double seconds = 0, cpu_seconds = 0;  // time of the sampling loop so far
  std::string recorder;                 // the recorder's running state
  Bytes experiment;                     // Experiment::save()
};

void write_checkpoint(const std::string& path, Checkpoint& checkpoint);
// Writes a state that `save` produces piece by piece instead of checkpoint.experiment, because it may be large.
void write_checkpoint(const std::string& path, Checkpoint& checkpoint, const std::function<void(Archive&)>& save);
// Returns nothing if there is no such file. Throws ConfigError if it is damaged or of another version.
std::optional<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace pollen::sink
