#include "sink/checkpoint.h"

#include <zlib.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen::sink {

namespace {

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum;
  std::uint64_t field_bytes;
  std::uint64_t state_bytes;
};
static_assert(sizeof(Header) == 32);

constexpr char kMagic[9] = "POLLENCK";
constexpr std::uint32_t kVersion = 2;  // version 2 added participation

// Continues a CRC-32: the checksum `before` of the preceding bytes, followed by these bytes.
std::uint32_t checksum_of(std::uint32_t before, ByteView bytes) {
  return static_cast<std::uint32_t>(bytes.empty() ? before : crc32_z(before, bytes.data(), bytes.size()));
}

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
  Archive a;
  archive(a, checkpoint);
  const Bytes fields = a.take();
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof header.magic);
  header.version = kVersion;
  header.checksum = checksum_of(0, fields);
  header.field_bytes = fields.size();
  ReplacingFile file(path);
  file.write(&header, sizeof header);
  file.write(fields.data(), fields.size());
  Archive state([&](ByteView some) {
    header.checksum = checksum_of(header.checksum, some);
    header.state_bytes += some.size();
    file.write(some.data(), some.size());
  });
  save(state);
  state.finish();
  file.rewrite(&header, sizeof header);
  file.commit();
}

std::optional<Checkpoint> read_checkpoint(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string text = read_text(path);
  const auto damaged = [&](const char* what) { return ConfigError(path, std::string("found ") + what); };
  Header header{};
  if (text.size() < sizeof header) throw damaged("a file cut short, accepted: a checkpoint of pollen");
  std::memcpy(&header, text.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof header.magic) != 0)
    throw damaged("another kind of file, accepted: a checkpoint of pollen");
  if (header.version != kVersion) throw damaged("a checkpoint of another version of pollen; run without --resume");
  const ByteView body(reinterpret_cast<const std::uint8_t*>(text.data()) + sizeof header, text.size() - sizeof header);
  const bool whole = header.field_bytes <= body.size() && header.state_bytes == body.size() - header.field_bytes;
  const ByteView fields = body.first(whole ? header.field_bytes : 0), state = body.subspan(fields.size());
  if (!whole || header.checksum != checksum_of(0, body))
    throw damaged("damaged bytes (the checksum differs); run without --resume");
  try {
    Archive a(fields);
    Checkpoint checkpoint;
    archive(a, checkpoint);
    a.finish();
    checkpoint.experiment.assign(state.begin(), state.end());
    return checkpoint;
  } catch (const WireError& error) {
    throw damaged(error.what());
  }
}

}  // namespace pollen::sink
