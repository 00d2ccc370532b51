// Writes codes, most significant bit first: the first bit of the stream is the top bit of the first byte. Unused bits
// of the last byte are zero. The destination needs eight spare bytes after the last one written (see payload.h). One
// thread per writer.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace pollen::compress {

static_assert(std::endian::native == std::endian::little, "payload words are written with plain copies");

class BitWriter {
 public:
  static constexpr unsigned kMost = 56;  // bits that one put() can take

  explicit BitWriter(std::uint8_t* at) : at_(at) {}

  // Appends the low `length` bits of `value`, 1..kMost of them; the bits above must be zero.
  void put(std::uint64_t value, unsigned length) { put_top(value << (64 - length), length); }

  // Appends the top `length` bits of `value`, 1..kMost of them; the bits below must be zero.
  void put_top(std::uint64_t value, unsigned length) {
    pending_ |= value >> used_;
    used_ += length;
    const std::uint64_t first_byte_low = __builtin_bswap64(pending_);
    std::memcpy(at_, &first_byte_low, sizeof first_byte_low);
    at_ += used_ / 8;
    pending_ <<= used_ & 56U;
    used_ %= 8;
  }

 private:
  std::uint8_t* at_;
  std::uint64_t pending_ = 0;  // bits that do not fill a byte yet, at the top
  unsigned used_ = 0;          // number of pending bits, 0..7 between calls
};

}  // namespace pollen::compress
