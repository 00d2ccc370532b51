// A file that is either complete or refused: eight letters, uint32 version, uint32 CRC-32 of the body, and the body.
// Used for states that must survive a crash.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/types.h"

namespace pollen {

struct Seal {
  const char* letters;  // exactly eight
  std::uint32_t version = 1;
  const char* what;  // for messages, such as "a client's state"
};

// Writes the file; it is durable on return, and a crash leaves the old file. Only its owner may read it, because it may
// hold a secret.
void write_sealed(const std::string& path, const Seal& seal, const Bytes& body);
Bytes read_sealed(const std::string& path, const Seal& seal);  // throws ConfigError if it is not complete, or IoError

std::uint32_t checksum_of(ByteView bytes);

}  // namespace pollen
