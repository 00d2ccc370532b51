// DIR/checkpoint holds everything that --resume needs, in one sealed file (base/sealed_file.h), which is either
// complete or refused. The body is an Archive of the fields below, followed by the experiment's state. A server whose
// clients move with every round writes one after every round; then the file is a journal of such bodies
// (base/journal.h), which costs one sync of the disk per round, until the run pauses or ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/journal.h"
#include "data/file_digests.h"
#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::sink {

struct Checkpoint {
  bool finished = false;          // outputs are written and nothing is left to do
  std::string config_given;       // the configuration before set-up, with step = "auto" if the user wrote that
  std::string config_used;        // the configuration after set-up, as in DIR/config.toml
  std::vector<FileDigest> files;  // what the run has read its data from
  std::int64_t draws = 0;         // kept draws per chain in the spool
  std::int64_t metrics_bytes = 0;
  double seconds = 0, cpu_seconds = 0;  // time of the sampling loop so far
  std::string recorder;                 // the recorder's running state
  Bytes experiment;                     // Experiment::save()
};

void write_checkpoint(const std::string& path, Checkpoint& checkpoint);
// Writes a state that `save` produces piece by piece instead of checkpoint.experiment, because it may be large.
void write_checkpoint(const std::string& path, Checkpoint& checkpoint, const std::function<void(Archive&)>& save);

// Writes the checkpoints of a run one after another.
class CheckpointFile {
 public:
  CheckpointFile(std::string path, bool every_round) : path_(std::move(path)), every_round_(every_round) {}
  // Durable on the disk when it returns. `save` as above; `goes_on` says that the run goes on after it.
  void write(Checkpoint& checkpoint, bool goes_on, const std::function<void(Archive&)>& save);
  // Makes the last checkpoint of a journal an ordinary file: for a run that stops in the middle of a round.
  void settle();

 private:
  std::string path_;
  bool every_round_;
  std::optional<Journal> journal_;
};

// Returns nothing if there is no such file. Throws ConfigError if it is damaged or of another version.
std::optional<Checkpoint> read_checkpoint(const std::string& path, const char* remedy = "run without --resume");

}  // namespace pollen::sink
