// Writes and reads the numbers of a frame as little-endian bytes, which is how x86-64 stores them. Every length is
// checked before memory is allocated.
#pragma once

#include <cstring>
#include <vector>

#include "pollen/errors.h"
#include "wire/wire.h"

namespace pollen::wire {

inline constexpr std::uint32_t kMagic = 0x4e4c4f50;  // "POLN"
inline constexpr std::uint16_t kVersion = 2;

class Writer {
 public:
  Writer(Bytes& out, Type type) : out_(out) {
    out_.clear();
    put(kMagic);
    put(kVersion);
    put(static_cast<std::uint16_t>(type));
    put(std::uint64_t{0});  // the body's length; finish() fills it in
  }
  template <class T>
  void put(T value) {
    put_bytes(&value, sizeof(T));
  }
  void put_bytes(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = out_.size();
    out_.resize(at + size);
    std::memcpy(out_.data() + at, data, size);
  }
  void finish() {
    const std::uint64_t body = out_.size() - kFrameHeader;
    std::memcpy(out_.data() + 8, &body, sizeof(body));
  }

 private:
  Bytes& out_;
};

class Reader {
 public:
  Reader(ByteView frame, Type type) : left_(frame) {
    if (get<std::uint32_t>() != kMagic) throw WireError("frame: not one of pollen's");
    if (get<std::uint16_t>() != kVersion) throw WireError("frame: another version of the format");
    if (get<std::uint16_t>() != static_cast<std::uint16_t>(type)) throw WireError("frame: another kind than expected");
    if (get<std::uint64_t>() != left_.size()) throw WireError("frame: its length is wrong");
  }
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  ByteView take(std::size_t size) {
    if (size > left_.size()) throw WireError("frame: cut short");
    const ByteView taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  // Reads a count of items and checks that so many items of at least `each` bytes can follow.
  std::size_t count(std::size_t each) {
    const std::size_t n = get<std::uint32_t>();
    if (n > left_.size() / each) throw WireError("frame: a count is larger than the frame");
    return n;
  }
  std::uint8_t flags(std::uint8_t known) {
    const auto value = get<std::uint8_t>();
    if ((value & ~known) != 0) throw WireError("frame: unknown flags");
    return value;
  }
  // Reads the sizes of n consecutive pieces and then the pieces, into offsets and one payload.
  void pieces(std::size_t n, std::vector<std::size_t>& offset, Bytes& payload) {
    offset.resize(n + 1);
    offset[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto size = get<std::uint64_t>();
      if (size > left_.size()) throw WireError("frame: a payload is longer than the frame");
      offset[i + 1] = offset[i] + size;
    }
    const ByteView bytes = take(offset[n]);
    payload.assign(bytes.begin(), bytes.end());
  }
  void finish() const {
    if (!left_.empty()) throw WireError("frame: bytes left over");
  }

 private:
  ByteView left_;
};

}  // namespace pollen::wire
