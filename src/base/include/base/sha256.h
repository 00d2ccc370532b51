// SHA-256 (FIPS 180-4), for contents that somebody hostile may choose: contracts, data files, what was asked before.
// For files that may only be damaged, checksum() of base/sealed_file.h is enough. One thread per object.
//
//   Sha256 hash;
//   hash.add(bytes);                        // any number of times
//   const std::string text = hex(hash.end());
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pollen/types.h"

namespace pollen {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  void add(ByteView bytes);
  void add(std::string_view text) { add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}); }
  // Adds a number or an enumerator, eight bytes, little-endian.
  void add_number(std::uint64_t number);
  Digest end();  // the object must not be used afterwards

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> rest_ = {};  // the bytes of a block that is not full yet
  std::uint64_t length_ = 0;                // of everything added so far
};

Digest sha256(ByteView bytes);
Digest sha256(std::string_view text);
// HMAC (RFC 2104): tells what only somebody with the key can tell about a text.
Digest hmac_sha256(std::string_view key, std::string_view text);
std::string hex(const Digest& digest);  // 64 lower-case digits
// Returns the same digits of a SHA-256 as people copy it, also with capitals and with colons between bytes; nothing if
// it is none.
std::optional<std::string> hex_as_written(std::string_view text);

}  // namespace pollen
