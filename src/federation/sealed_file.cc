#include "sealed_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cstring>

#include "base/file.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr std::size_t kLetters = 8, kHeader = 16;

}  // namespace

std::uint32_t checksum_of(ByteView bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()));
}

void write_sealed(const std::string& path, const Seal& seal, const Bytes& body) {
  Bytes header(kHeader);
  const std::uint32_t sum = checksum_of(body);
  std::memcpy(header.data(), seal.letters, kLetters);
  std::memcpy(header.data() + kLetters, &seal.version, sizeof(seal.version));
  std::memcpy(header.data() + kLetters + sizeof(seal.version), &sum, sizeof(sum));
  ReplacingFile file(path);
  ::chmod(temporary_name(path).c_str(), 0600);
  file.write(header.data(), header.size());
  file.write(body.data(), body.size());
  file.commit();
}

Bytes read_sealed(const std::string& path, const Seal& seal) {
  const std::string text = read_text(path);
  const ByteView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const auto damaged = [&](const char* found) {
    return ConfigError(path, fmt::format("found {}; accepted: {} (another folder starts afresh)", found, seal.what));
  };
  if (bytes.size() < kHeader || std::memcmp(bytes.data(), seal.letters, kLetters) != 0)
    throw damaged("another kind of file");
  std::uint32_t version = 0, sum = 0;
  std::memcpy(&version, bytes.data() + kLetters, sizeof(version));
  std::memcpy(&sum, bytes.data() + kLetters + sizeof(version), sizeof(sum));
  if (version != seal.version) throw damaged("one of another version of pollen");
  const ByteView body = bytes.subspan(kHeader);
  if (sum != checksum_of(body)) throw damaged("damaged bytes (the checksum differs)");
  return {body.begin(), body.end()};
}

}  // namespace pollen
