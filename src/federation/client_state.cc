#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/sealed_file.h"
#include "base/secret.h"
#include "participant_parts.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr Seal kClientSeal{"POLLENCL", 4, "a client's state", "another --state folder starts afresh"};

void archive(Archive& a, ClientState& s) {
  a.fields(s.instance, s.run, s.seed, s.data, s.committed, s.pending, s.has_client, s.client, s.reply, s.moved, s.turns,
           s.step.size, s.step.smoothness, s.step.convexity);
}

}  // namespace

// Fingerprints a file by a checksum and its length. This guards against mistakes, not against malice.
std::uint64_t fingerprint_of(const std::string& path) {
  const std::string text = read_text(path);
  const ByteView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return std::uint64_t{checksum(bytes)} << 32U | (text.size() & 0x7fffffffU) | 0x80000000U;
}

ClientStateFile::ClientStateFile(std::string folder) : folder_(std::move(folder)) {
  state_.instance = secret_number();
  if (folder_.empty()) return;
  lock_.emplace(folder_, 0700);
  if (!lock_->held()) throw ConfigError("--state", fmt::format("found \"{}\", which another client is using", folder_));
  if (std::filesystem::exists(path()))
    read();
  else
    write();
}

void ClientStateFile::read() {
  const Bytes body = read_sealed(path(), kClientSeal);
  try {
    Archive a(body);
    archive(a, state_);
    a.finish();
  } catch (const WireError& error) {
    kClientSeal.refuse(path(), fmt::format("fields that cannot be read ({})", error.what()));
  }
}

void ClientStateFile::write() {
  if (folder_.empty()) return;
  Archive a;
  archive(a, state_);
  SealedFile file(path(), kClientSeal, Readers::owner);
  file.write(a.take());
  file.commit();
}

}  // namespace pollen
