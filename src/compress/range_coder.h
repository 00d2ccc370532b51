// A range coder (Martin 1979). A message is a number between 0 and 1, written byte by byte. Every symbol narrows the
// interval in which the number lies, in proportion to the symbol's probability, so a message costs the sum of -log2 of
// the probabilities. Both ends compute the same integers, and the symbol that begins at 0 of its distribution moves
// only the upper end of the interval.
//
// The writer ends with the shortest byte string in the interval. Zero bytes at its end are not sent, because the reader
// supplies them. A message of most probable symbols that begin at 0 is therefore empty.
//
//   RangeWriter writer(bytes);                    // appends to bytes
//   writer.put(first, size);                      // first + size ≤ 2^16
//   writer.finish();
//   RangeReader reader(bytes);
//   const std::uint32_t at = reader.peek();       // first ≤ at < first + size of the symbol that was put
//   reader.take(first, size);
//   reader.finish();                              // WireError for bytes that no writer makes
#pragma once

#include <cstdint>
#include <limits>

#include "payload.h"

namespace pollen::compress {

inline constexpr unsigned kRangeBits = 16;                            // probabilities are in units of 2^-16
inline constexpr std::uint64_t kLeastRange = std::uint64_t{1} << 48;  // below it a byte is shifted out

class RangeWriter {
 public:
  explicit RangeWriter(Bytes& out) : out_(out), first_(out.size()) {}

  void put(std::uint32_t first, std::uint32_t size) {
    const std::uint64_t unit = range_ >> kRangeBits;
    add(unit * first);
    range_ = unit * size;
    while (range_ < kLeastRange) shift();
  }
  // The same for first = 0.
  void put_lowest(std::uint32_t size) {
    range_ = (range_ >> kRangeBits) * size;
    while (range_ < kLeastRange) shift();
  }
  // Writes 0 or 1, which are equally likely.
  void put_bit(std::uint64_t bit) {
    range_ >>= 1;
    add(range_ * bit);
    while (range_ < kLeastRange) shift();
  }

  // Writes the number in the interval that ends with the most zero bytes.
  void finish() {
    unsigned zeros = 64;
    for (; zeros > 0; zeros -= 8) {
      const std::uint64_t below = zeros == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << zeros) - 1;
      if (((~low_ + 1) & below) < range_) break;  // so far it is to the next multiple of 2^zeros
    }
    const std::uint64_t below = zeros == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << zeros) - 1;
    add((~low_ + 1) & below);
    for (unsigned byte = 0; byte < 8; ++byte) shift();
    while (out_.size() > first_ && out_.back() == 0) out_.pop_back();
  }

 private:
  void add(std::uint64_t more) {
    low_ += more;
    if (low_ >= more) return;
    for (std::size_t at = out_.size(); ++out_[--at] == 0;) {  // the interval lies below 1, so a carry ends in time
    }
  }
  void shift() {
    out_.push_back(static_cast<std::uint8_t>(low_ >> 56));
    low_ <<= 8;
    range_ <<= 8;
  }

  Bytes& out_;
  std::size_t first_;
  std::uint64_t low_ = 0;                                            // behind the bytes that were shifted out
  std::uint64_t range_ = std::numeric_limits<std::uint64_t>::max();  // the length of the interval
};

class RangeReader {
 public:
  explicit RangeReader(ByteView bytes) : bytes_(bytes) {
    for (unsigned byte = 0; byte < 8; ++byte) above_ = above_ << 8 | next();
    if (above_ == range_) wire_error("found a number above the range of a code, accepted: below 1");
  }

  // The place of the number in the next symbol's distribution. In bytes that no writer makes it may be 2^16 or more.
  std::uint64_t peek() const { return above_ / (range_ >> kRangeBits); }
  // Whether the next symbol is the one that begins at 0. If so, it is taken.
  bool take_lowest(std::uint32_t size) {
    const std::uint64_t inside = (range_ >> kRangeBits) * size;
    if (above_ >= inside) return false;
    range_ = inside;
    while (range_ < kLeastRange) shift();
    return true;
  }
  void take(std::uint32_t first, std::uint32_t size) {
    const std::uint64_t unit = range_ >> kRangeBits;
    above_ -= unit * first;
    range_ = unit * size;
    while (range_ < kLeastRange) shift();
  }
  std::uint64_t take_bit() {
    range_ >>= 1;
    const std::uint64_t bit = above_ >= range_ ? 1 : 0;
    above_ -= range_ * bit;
    if (above_ >= range_) wire_error("found a number outside its code, accepted: one inside");
    while (range_ < kLeastRange) shift();
    return bit;
  }
  void finish() const {
    if (at_ < bytes_.size()) wire_error(bytes_.size(), "bytes of a range code", "at most", at_);
    if (!bytes_.empty() && bytes_.back() == 0)
      wire_error("found a zero byte at the end of a range code, accepted: none");
  }

 private:
  std::uint8_t next() {
    const std::size_t at = at_++;
    return at < bytes_.size() ? bytes_[at] : std::uint8_t{0};
  }
  void shift() {
    above_ = above_ << 8 | next();
    range_ <<= 8;
  }

  ByteView bytes_;
  std::size_t at_ = 0;
  std::uint64_t above_ = 0;  // the number less the lower end of the interval
  std::uint64_t range_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace pollen::compress
