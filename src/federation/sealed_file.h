// A state on the disk that is either whole or refused: eight letters, uint32 version, uint32 CRC-32 of the rest, the
// rest.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/types.h"

namespace pollen {

struct Seal {
  const char* letters;  // eight of them
  std::uint32_t version = 1;
  const char* what;  // "a client's state", for messages
};

// Durable when it returns; a crash leaves the file before. For its owner alone: there may be a secret in it.
void write_sealed(const std::string& path, const Seal& seal, const Bytes& body);
Bytes read_sealed(const std::string& path, const Seal& seal);  // ConfigError where it is not whole; IoError

std::uint32_t checksum_of(ByteView bytes);

}  // namespace pollen
