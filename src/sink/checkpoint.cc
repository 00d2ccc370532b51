#include "sink/checkpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/sealed_file.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen::sink {

namespace {

// Version 10 counts bits with frames and has what codes have learnt; version 9 has the chains of exact samplers one by
// one; version 8 has the largest reply since burn-in; version 7 has the digests of the data's files; version 6 has
// running scores that start anew after burn-in; version 5 counts alike for all engines and has the participation of
// personal models; version 4 holds the step in one place, one archive per transport, and baselines as rounds; version 3
// is sealed like other states and has one round for all samplers; version 2 added participation.
constexpr std::uint32_t kVersion = 10;
constexpr Seal kCheckpointSeal{"POLLENCK", kVersion, "a checkpoint", "run without --resume"};
constexpr Seal kJournalSeal{"POLLENCJ", kVersion, "a checkpoint", "run without --resume"};
constexpr std::size_t kMostInJournal = std::size_t{16} << 20;  // a larger state is written piece by piece

void archive(Archive& a, std::vector<FileDigest>& files) {
  std::uint64_t count = files.size();
  a.field(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (a.reading()) files.emplace_back();
    a.fields(files[i].path, files[i].bytes, files[i].crc);
  }
}

void archive(Archive& a, Checkpoint& c) {
  a.fields(c.finished, c.config_given, c.config_used);
  archive(a, c.files);
  a.fields(c.draws, c.metrics_bytes, c.seconds, c.cpu_seconds, c.recorder);
}

bool begins_with(const std::string& path, const Seal& seal) {
  std::string start(Seal::kLetters, '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == seal.letters;
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

void CheckpointFile::write(Checkpoint& checkpoint, bool goes_on, const std::function<void(Archive&)>& save) {
  if (every_round_ && goes_on) {
    Archive out;
    archive(out, checkpoint);
    save(out);
    const Bytes body = out.take();
    every_round_ = body.size() <= kMostInJournal;
    if (!journal_) journal_.emplace(path_, kJournalSeal);
    return journal_->write(body);
  }
  journal_.reset();
  write_checkpoint(path_, checkpoint, save);
}

void CheckpointFile::settle() {
  if (!journal_) return;
  journal_.reset();
  const Bytes body = read_journal(path_, kJournalSeal);
  SealedFile file(path_, kCheckpointSeal);
  file.write(body);
  file.commit();
}

std::optional<Checkpoint> read_checkpoint(const std::string& path, const char* remedy) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const bool journal = begins_with(path, kJournalSeal);
  Seal seal = journal ? kJournalSeal : kCheckpointSeal;
  seal.remedy = remedy;
  const Bytes body = journal ? read_journal(path, seal) : read_sealed(path, seal);
  try {
    Archive a(body);
    Checkpoint checkpoint;
    archive(a, checkpoint);
    checkpoint.experiment.resize(a.left());
    a.bytes(checkpoint.experiment);
    return checkpoint;
  } catch (const WireError& error) {
    seal.refuse(path, fmt::format("fields that cannot be read ({})", error.what()));
  }
}

}  // namespace pollen::sink
