// Files that are read only if they are whole: checkpoints and the states of a federation's server and clients. Stores
// of data and spools of draws start with a Seal, too, but are not read as a whole. One thread per object.
//
// Layout, little-endian: eight letters, uint32 version, uint32 CRC-32 of the body, uint64 length of the body, the body.
//
//   SealedFile file(path, kSeal);   // writes under a temporary name
//   file.write(bytes);              // any number of times; the body is never in memory as a whole
//   file.commit();                  // syncs and renames: a crash before this leaves the previous file
#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "pollen/types.h"

namespace pollen {

// Continues a CRC-32 (zlib's): `before` is the checksum of the preceding bytes, and the result covers both.
std::uint32_t checksum(ByteView bytes, std::uint32_t before = 0);

// The first bytes that mark a kind of file, and the words for error messages about it.
struct Seal {
  const char* letters;  // eight of them
  std::uint32_t version;
  const char* what;    // the kind of file in an error message, such as "a checkpoint"
  const char* remedy;  // advice for a file that is refused, such as "run without --resume"
  static constexpr std::size_t kLetters = 8;

  void write_to(std::uint8_t* at) const;                     // writes letters and version, 12 bytes
  void check(ByteView file, const std::string& path) const;  // ConfigError unless `file` begins with both
  [[noreturn]] void refuse(const std::string& path, const std::string& found) const;  // throws ConfigError
};

enum class Readers { everybody, owner };  // `owner` for files that may contain secrets

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

// Reads the whole body. Throws ConfigError if the file is damaged or of another kind, IoError if it cannot be read.
Bytes read_sealed(const std::string& path, const Seal& seal);

}  // namespace pollen
