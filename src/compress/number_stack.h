// The range variant of asymmetric numeral systems (rANS: Duda 2009), an entropy code like that of range_coder.h which
// is read without a division. A message is one large number that works like a stack: what was put last is taken first,
// and the writer therefore begins with the end. A symbol that takes n of 2^16 shares makes the number 2^16/n times
// larger, so that a message costs the sum of -log2 of the probabilities, one bit that marks its beginning, and what the
// last byte rounds up.
//
// The head of the number stands in 63 bits; the digits below it, of 32 bits each, have been moved out. The bytes are
// the head, in as few bytes as leave its first bit 0, and the digits, the last one first, all of them big-endian.
//
//   StackWriter writer(digits);                // digits: memory for the writer, which it clears
//   writer.put(share);                         // a symbol
//   writer.put_bits(value, count);             // equally likely bits, count ≤ 31
//   writer.write(at);                          // writer.bytes() of them
//   StackReader reader(bytes);
//   reader.take_bits(count);
//   const std::uint32_t at = reader.peek();    // share.first ≤ at < share.first + share.size of the symbol
//   reader.take(share);
//   reader.finish();                           // WireError for bytes that no writer makes
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "payload.h"

namespace pollen::compress {

inline constexpr unsigned kShareBits = 16;
inline constexpr std::uint64_t kLeastHead = std::uint64_t{1} << 31;  // while digits are moved out

// The part [first, first + size) of 2^16 that a symbol takes, 0 < size < 2^16. A head is divided by `size` with the
// help of its reciprocal (Granlund and Montgomery 1994), which is exact below 2^63.
struct Share {
  std::uint64_t reciprocal = 0;
  std::uint32_t first = 0, size = 0;
  std::uint32_t shift = 0;

  Share(std::uint32_t from, std::uint32_t shares) : first(from), size(shares) {
    shift = static_cast<std::uint32_t>(std::bit_width(shares - 1));
    reciprocal = static_cast<std::uint64_t>((((unsigned __int128){1} << (63 + shift)) + shares - 1) / shares);
  }
  std::uint64_t divide(std::uint64_t head) const {
    return static_cast<std::uint64_t>((unsigned __int128){head} * reciprocal >> 63) >> shift;
  }
};

// A value, as the reader is: a loop that works on a copy and gives it back can keep it in registers.
class StackWriter {
 public:
  explicit StackWriter(std::vector<std::uint32_t>& digits) : digits_(&digits) { digits.clear(); }

  void put(const Share& share) {
    if (head_ >= std::uint64_t{share.size} << (63 - kShareBits)) move_out();
    const std::uint64_t quotient = share.divide(head_);
    head_ += quotient * ((std::uint64_t{1} << kShareBits) - share.size) + share.first;
  }
  void put_bits(std::uint64_t value, unsigned count) {
    if (head_ >= std::uint64_t{1} << (63 - count)) move_out();
    head_ = head_ << count | value;
  }

  std::size_t bytes() const { return head_bytes() + digits_->size() * sizeof(std::uint32_t); }
  void write(std::uint8_t* at) const {
    for (std::size_t left = head_bytes(); left-- > 0;) *at++ = static_cast<std::uint8_t>(head_ >> (8 * left));
    for (std::size_t i = digits_->size(); i-- > 0; at += sizeof(std::uint32_t)) {
      const std::uint32_t digit = __builtin_bswap32((*digits_)[i]);
      std::memcpy(at, &digit, sizeof digit);
    }
  }

 private:
  std::size_t head_bytes() const { return static_cast<std::size_t>(std::bit_width(head_)) / 8 + 1; }
  void move_out() {
    digits_->push_back(static_cast<std::uint32_t>(head_));
    head_ >>= 32;
  }

  std::vector<std::uint32_t>* digits_;
  std::uint64_t head_ = 1;
};

// Bytes that no writer makes lead to other symbols or to an error, and to nothing worse.
class StackReader {
 public:
  explicit StackReader(ByteView bytes) {
    if (bytes.empty() || bytes[0] > 0x7f) wire_error("found no head of a number, accepted: one that begins with 0");
    const std::size_t size = bytes.size() <= 8 ? bytes.size() : 5 + (bytes.size() - 5) % sizeof(std::uint32_t);
    for (std::size_t i = 0; i < size; ++i) head_ = head_ << 8 | bytes[i];
    if (static_cast<std::size_t>(std::bit_width(head_)) / 8 + 1 != size || head_ == 0)
      wire_error("found zeros before a number, accepted: none");
    next_ = bytes.data() + size;
    end_ = bytes.data() + bytes.size();
  }

  std::uint32_t peek() const { return static_cast<std::uint32_t>(head_) & ((1U << kShareBits) - 1); }
  void take(std::uint32_t first, std::uint32_t size) {
    head_ = size * (head_ >> kShareBits) + peek() - first;
    move_in();
  }
  std::uint32_t take_bits(unsigned count) {
    const auto value = static_cast<std::uint32_t>(head_ & ((std::uint64_t{1} << count) - 1));
    head_ >>= count;
    move_in();
    return value;
  }
  void finish() const {
    if (next_ != end_)
      wire_error(static_cast<std::uint64_t>(end_ - next_), "bytes after the last symbol", "exactly", 0);
    if (head_ != 1) wire_error("found a number that does not begin where its symbols do");
  }

 private:
  void move_in() {
    if (head_ >= kLeastHead || next_ == end_) return;
    std::uint32_t digit;
    std::memcpy(&digit, next_, sizeof digit);
    head_ = head_ << 32 | __builtin_bswap32(digit);
    next_ += sizeof digit;
  }

  std::uint64_t head_ = 0;
  const std::uint8_t* next_ = nullptr;
  const std::uint8_t* end_ = nullptr;
};

}  // namespace pollen::compress
