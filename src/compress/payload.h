// Helpers that all compressors use for their payloads: room to write in, little-endian words of 32 or 64 bits, and
// error messages. docs/formats/compressors.md specifies the bytes.
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::compress {

inline constexpr std::size_t kSpare = 8;  // bytes that a BitWriter may touch after its last one

// Appends `bytes` bytes of room to a payload. While the object lives there are kSpare bytes more, which its destructor
// removes. The payload must not be resized meanwhile.
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

// Throws WireError "compressed payload: <what>".
[[noreturn]] void wire_error(const char* what);
// Throws WireError for a number, for example "compressed payload: found 9 bytes, accepted: exactly 16".
[[noreturn]] void wire_error(std::uint64_t found, const char* what, const char* accepted, std::uint64_t limit);
// Throws NumericError "compressor: <what>".
[[noreturn]] void numeric_error(const char* what);

// `value` rounded to the float of `bits` (32 or 64) bits that is sent, as a double. It is infinite if the value is
// above float32's range.
inline double rounded(double value, int bits) {
  return bits == 32 ? static_cast<double>(static_cast<float>(value)) : value;
}

// Writes values as words. The caller has rounded them with rounded() already.
void put_words(std::span<const double> values, int bits, std::uint8_t* at);
// Reads out.size() words. A word that is not finite is a WireError.
void take_words(const std::uint8_t* at, int bits, std::span<double> out);

}  // namespace pollen::compress
