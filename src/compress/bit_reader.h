// Reads codes, most significant bit first, through a 64-bit window. Past the end of the bytes the reader supplies zeros
// and keeps count of them. Loops therefore need no test for the end: an all-zero window is never a valid code, and
// finish() reports bytes that are missing or left over. One thread per reader.
//
//   reader.refill();                     // now at least kMost bits of the window are valid
//   value = reader.window() >> 55;       // the next nine bits
//   reader.skip(9);
//   reader.finish();                     // WireError unless fewer than eight bits are left, all of them zero
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "payload.h"

namespace pollen::compress {

// The number of leading zero bits, 64 for zero. std::countl_zero would cost a branch.
inline unsigned leading_zeros(std::uint64_t word) { return static_cast<unsigned>(_lzcnt_u64(word)); }

class BitReader {
 public:
  static constexpr unsigned kMost = 56;  // valid bits of the window after refill()

  explicit BitReader(ByteView bytes)
      : end_(bytes.data() + bytes.size()), next_(-static_cast<std::ptrdiff_t>(bytes.size())) {
    if (bytes.size() >= 8) {
      last_ = load(end_ - 8);
    } else {
      for (const std::uint8_t byte : bytes) last_ = last_ << 8 | byte;
    }
  }

  void refill() {
    std::uint64_t word = 0;
    if (next_ <= -8) [[likely]] {
      word = load(end_ + next_);
    } else if (next_ < 0) {
      word = last_ << (64 + 8 * next_);
    }
    window_ |= word >> held_;
    next_ += (63 - held_) >> 3;
    held_ |= 56;
  }

  // Refills if fewer than `bits` bits (≤ kMost) of the window are valid.
  void ensure(unsigned bits) {
    if (held_ < static_cast<int>(bits)) [[unlikely]]
      refill();
  }

  std::uint64_t window() const { return window_; }

  // Drops the next `length` bits, which must be valid.
  void skip(unsigned length) {
    window_ <<= length;
    held_ -= static_cast<int>(length);
  }

  void finish() const {
    const std::ptrdiff_t left = held_ - next_ * 8;
    if (left < 0) wire_error("found too few bytes: the last code is cut off");
    if (left >= 8) wire_error(static_cast<std::uint64_t>(left) / 8, "bytes after the last code", "exactly", 0);
    if (left > 0 && window_ >> (64 - left) != 0) wire_error("found padding bits that are not zero, accepted: zeros");
  }

 private:
  static std::uint64_t load(const std::uint8_t* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return __builtin_bswap64(word);
  }

  const std::uint8_t* end_;
  // Offset from end_ of the first byte that held_ does not count. It is positive once zeros were supplied.
  std::ptrdiff_t next_;
  std::uint64_t last_ = 0;    // the last eight bytes, or all bytes if there are fewer
  std::uint64_t window_ = 0;  // the next bits, at the top; bits after the first held_ are either correct or zero
  // Number of valid bits. It is signed because compilers collect the unsigned differences of one pass through a loop
  // and then run out of registers.
  int held_ = 0;
};

}  // namespace pollen::compress
