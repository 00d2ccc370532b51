// Files that are either whole or refused: a checkpoint, the states of a federation's server and clients. A store of
// data begins like them, with letters and a version, and has checksums of its own.
//
// Layout, little-endian: eight letters, uint32 version, uint32 CRC-32 of the body, uint64 bytes of the body, the body.
//
//   SealedFile file(path, kSeal);   // under a temporary name
//   file.write(bytes);              // as often as needed: the body is never in memory as a whole
//   file.commit();                  // synced, then renamed: a crash leaves the file before
#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "pollen/types.h"

namespace pollen {

// CRC-32 as zlib computes it, of what came before and these bytes.
std::uint32_t checksum(ByteView bytes, std::uint32_t before = 0);

// What a kind of file begins with, and the words for messages about it.
struct Seal {
  const char* letters;  // eight
  std::uint32_t version;
  const char* what;    // "a checkpoint"
  const char* remedy;  // what to do about a file that is refused: "run without --resume"
  static constexpr std::size_t kLetters = 8;

  void write_to(std::uint8_t* at) const;                     // letters and version, 12 bytes
  void check(ByteView file, const std::string& path) const;  // ConfigError unless `file` begins with both
  [[noreturn]] void refuse(const std::string& path, const std::string& found) const;  // ConfigError
};

enum class Readers { everybody, owner };  // `owner` where a file may have secrets

class SealedFile {
 public:
  SealedFile(const std::string& path, const Seal& seal, Readers readers = Readers::everybody);
  void write(ByteView bytes);
  void commit();

 private:
  Seal seal_;
  ReplacingFile file_;
  std::uint32_t sum_ = 0;
  std::uint64_t bytes_ = 0;
};

// The whole body. ConfigError where the file is not whole or of another kind; IoError where it cannot be read.
Bytes read_sealed(const std::string& path, const Seal& seal);

}  // namespace pollen
