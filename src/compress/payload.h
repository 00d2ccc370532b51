// What the payloads of all compressors share: room to write in, little-endian words of 32 or 64 bits, error messages.
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::compress {

inline constexpr std::size_t kSpare = 8;  // bytes a BitWriter may touch after its last one

// Appends `bytes` bytes to a payload: room for the life of the object, with kSpare bytes more that go away with it.
class Appended {
 public:
  Appended(Bytes& payload, std::size_t bytes) : payload_(payload), first_(payload.size()), bytes_(bytes) {
    payload_.resize(first_ + bytes + kSpare);
  }
  ~Appended() { payload_.resize(first_ + bytes_); }
  Appended(const Appended&) = delete;
  Appended& operator=(const Appended&) = delete;
  std::uint8_t* data() { return payload_.data() + first_; }

 private:
  Bytes& payload_;
  std::size_t first_;
  std::size_t bytes_;
};

constexpr std::size_t bytes_of_bits(std::uint64_t bits) { return static_cast<std::size_t>((bits + 7) / 8); }

[[noreturn]] void wire_error(const char* what);
[[noreturn]] void numeric_error(const char* what);

// value as the wire's float of `bits` (32 or 64) bits has it, as a double; infinite where float32 does not reach.
inline double rounded(double value, int bits) {
  return bits == 32 ? static_cast<double>(static_cast<float>(value)) : value;
}

// Values that rounded() leaves alone, as words.
void put_words(std::span<const double> values, int bits, std::uint8_t* at);
// Reads out.size() words; one that is not finite is a WireError.
void take_words(const std::uint8_t* at, int bits, std::span<double> out);

}  // namespace pollen::compress
