#include "sink/checkpoint.h"

#include <filesystem>

#include "base/sealed_file.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen::sink {

namespace {

// Version 3 is sealed like other states and has one round for all samplers; version 2 added participation.
constexpr Seal kCheckpointSeal{"POLLENCK", 4, "a checkpoint", "run without --resume"};

void archive(Archive& a, Checkpoint& c) {
  std::uint8_t finished = c.finished ? 1 : 0;
  a.field(finished);
  c.finished = finished != 0;
  a.text(c.config_given);
  a.text(c.config_used);
  a.field(c.draws);
  a.field(c.metrics_bytes);
  a.field(c.seconds);
  a.field(c.cpu_seconds);
  a.text(c.recorder);
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
    kCheckpointSeal.refuse(path, error.what());
  }
}

}  // namespace pollen::sink
