#include "federation/client_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "federation/secret.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/file.h"

namespace pollen {

namespace {

constexpr char kMagic[9] = "POLLENCL";
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeader = 16;

void archive(Archive& a, ClientState& s) {
  a.field(s.instance);
  a.text(s.run);
  a.field(s.seed);
  a.field(s.data);
  a.field(s.committed);
  a.field(s.pending);
  a.flag(s.has_client);
  a.list(s.client);
  a.list(s.reply);
  a.list(s.moved);
  a.field(s.turns);
}

std::uint32_t checksum(ByteView bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()));
}

}  // namespace

// Against mistakes, not against malice: a checksum and the length.
std::uint64_t fingerprint_of(const std::string& path) {
  const std::string text = read_text(path);
  const ByteView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return std::uint64_t{checksum(bytes)} << 32U | (text.size() & 0x7fffffffU) | 0x80000000U;
}

ClientStateFile::ClientStateFile(std::string folder) : folder_(std::move(folder)) {
  state_.instance = secret_number();
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder_).parent_path(), error);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) io_failure(folder_, "make the folder", errno);
  const std::string lock = folder_ + "/lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) io_failure(lock, "open", errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
    throw ConfigError("--state", fmt::format("found \"{}\", which another client is using", folder_));
  if (std::filesystem::exists(path()))
    read();
  else
    write();
}

ClientStateFile::~ClientStateFile() {
  if (lock_ >= 0) ::close(lock_);
}

void ClientStateFile::read() {
  const std::string text = read_text(path());
  const ByteView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const auto damaged = [&](const char* what) {
    return ConfigError(path(),
                       fmt::format("found {}; accepted: a client's state (another folder starts afresh)", what));
  };
  if (bytes.size() < kHeader || std::memcmp(bytes.data(), kMagic, 8) != 0) throw damaged("another kind of file");
  std::uint32_t version = 0, sum = 0;
  std::memcpy(&version, bytes.data() + 8, 4);
  std::memcpy(&sum, bytes.data() + 12, 4);
  if (version != kVersion) throw damaged("a state of another version of pollen");
  if (sum != checksum(bytes.subspan(kHeader))) throw damaged("damaged bytes (the checksum differs)");
  try {
    Archive a(bytes.subspan(kHeader));
    archive(a, state_);
    a.finish();
  } catch (const WireError& error) {
    throw damaged(error.what());
  }
}

void ClientStateFile::write() {
  if (folder_.empty()) return;
  Archive a;
  archive(a, state_);
  const Bytes body = a.take();
  Bytes header(kHeader);
  const std::uint32_t sum = checksum(body);
  std::memcpy(header.data(), kMagic, 8);
  std::memcpy(header.data() + 8, &kVersion, 4);
  std::memcpy(header.data() + 12, &sum, 4);
  ReplacingFile file(path());
  file.write(header.data(), header.size());
  file.write(body.data(), body.size());
  file.commit();
}

}  // namespace pollen
