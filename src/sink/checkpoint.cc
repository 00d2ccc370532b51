#include "sink/checkpoint.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/sealed_file.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen::sink {

namespace {

// Version 6 has running scores that start anew after burn-in; version 5 counts alike for all engines and has the
// participation of personal models; version 4 holds the step in one place, one archive per transport, and baselines as
// rounds; version 3 is sealed like other states and has one round for all samplers; version 2 added participation.
constexpr Seal kCheckpointSeal{"POLLENCK", 6, "a checkpoint", "run without --resume"};

void archive(Archive& a, Checkpoint& c) {
  a.fields(c.finished, c.config_given, c.config_used, c.draws, c.metrics_bytes, c.seconds, c.cpu_seconds, c.recorder);
}

}  // namespace

void write_checkpoint(const std::string& path, Checkpoint& checkpoint) {
  write_checkpoint(path, checkpoint, [&](Archive& out) { out.bytes(checkpoint.experiment); });
}

void write_checkpoint(const std::string& path, Checkpoint& checkpoint, const std::function<void(Archive&)>& save) {
  SealedFile file(path, kCheckpointSeal);
  Archive out([&](ByteView some) { file.write(some); });
  archive(out, checkpoint);
  save(out);
  out.finish();
  file.commit();
}

std::optional<Checkpoint> read_checkpoint(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Bytes body = read_sealed(path, kCheckpointSeal);
  try {
    Archive a(body);
    Checkpoint checkpoint;
    archive(a, checkpoint);
    checkpoint.experiment.resize(a.left());
    a.bytes(checkpoint.experiment);
    return checkpoint;
  } catch (const WireError& error) {
    kCheckpointSeal.refuse(path, fmt::format("fields that cannot be read ({})", error.what()));
  }
}

}  // namespace pollen::sink
