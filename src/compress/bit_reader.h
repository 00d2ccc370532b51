// Reads codes most significant bit first through a 64-bit window. Past the end it reads zeros and remembers it, so a
// loop needs no test of its own: an all-zero window is no code, and finish() finds what is left over or was missing.
//
//   reader.refill();                                  // at least kMost bits of window are good now
//   value = reader.window() >> 55; reader.skip(9);
//   reader.finish();                                  // WireError unless only zero padding below a byte is left
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "payload.h"

namespace pollen::compress {

// 64 for zero. std::countl_zero would cost a branch.
inline unsigned leading_zeros(std::uint64_t word) { return static_cast<unsigned>(_lzcnt_u64(word)); }

class BitReader {
 public:
  static constexpr unsigned kMost = 56;  // good bits after refill()

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

  // Refills where fewer than `bits` bits (≤ kMost) are good.
  void ensure(unsigned bits) {
    if (held_ < static_cast<int>(bits)) [[unlikely]]
      refill();
  }

  std::uint64_t window() const { return window_; }

  // Drops `length` bits, no more than a refill gave.
  void skip(unsigned length) {
    window_ <<= length;
    held_ -= static_cast<int>(length);
  }

  void finish() const {
    const std::ptrdiff_t left = held_ - next_ * 8;
    if (left < 0) wire_error("truncated");
    if (left >= 8) wire_error("trailing bytes");
    if (left > 0 && window_ >> (64 - left) != 0) wire_error("padding bits are not zero");
  }

 private:
  static std::uint64_t load(const std::uint8_t* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return __builtin_bswap64(word);
  }

  const std::uint8_t* end_;
  std::ptrdiff_t next_;       // from end_: the first byte that held_ does not count; positive where zeros were made up
  std::uint64_t last_ = 0;    // the last eight bytes, or all where there are fewer
  std::uint64_t window_ = 0;  // the next bits, at the top; those after the held_ first ones are right or zero
  int held_ = 0;  // signed: compilers gather the unsigned differences of a loop's turn, and run out of registers
};

}  // namespace pollen::compress
