// DIR/checkpoint: all that --resume needs, in one sealed file (base/sealed_file.h), which is either whole or refused.
//
// The body is an Archive of the fields below, and the experiment's state to its end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::sink {

struct Checkpoint {
  bool finished = false;     // outputs are written; nothing to go on with
  std::string config_given;  // the configuration before set-up: step = "auto" where the user left it so
  std::string config_used;   // after it: what DIR/config.toml holds
  std::int64_t draws = 0;    // kept ones, a chain, in the spool
  std::int64_t metrics_bytes = 0;
  double seconds = 0, cpu_seconds = 0;  // of the sampling loop so far
  std::string recorder;                 // the recorder's running state
  Bytes experiment;                     // Experiment::save()
};

void write_checkpoint(const std::string& path, Checkpoint& checkpoint);
// With a state that is written as it comes instead of checkpoint.experiment: it may be large.
void write_checkpoint(const std::string& path, Checkpoint& checkpoint, const std::function<void(Archive&)>& save);
// Empty where there is no such file; ConfigError where it is damaged or of another version.
std::optional<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace pollen::sink
