// Cuts frames into the pieces that cross the wire and puts them together again. Objects are not thread-safe.
#pragma once

#include <fmt/format.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "federation.pb.h"
#include "pollen/errors.h"
#include "pollen/types.h"

namespace pollen {

inline constexpr std::size_t kChunk = std::size_t{1} << 20;
inline constexpr std::size_t kHello = std::size_t{1} << 20;  // the longest first frame of a client

// Puts the piece of `frame` that begins at `at` into `chunk` and returns where the next piece begins.
inline std::size_t cut(const Bytes& frame, std::size_t at, v1::Chunk& chunk) {
  const std::size_t size = std::min(kChunk, frame.size() - at);
  chunk.set_data(frame.data() + at, size);
  chunk.set_left(frame.size() - at - size);
  return at + size;
}

// Encodes the same piece as message bytes that refer to the frame, so that a frame for many clients is never copied.
inline std::size_t cut(const std::shared_ptr<const Bytes>& frame, std::size_t at, grpc::ByteBuffer& out) {
  using Owner = std::shared_ptr<const Bytes>;
  const std::size_t size = std::min(kChunk, frame->size() - at), left = frame->size() - at - size;
  std::array<std::uint8_t, 24> head{}, tail{};
  const auto put = [](std::uint8_t* to, std::uint8_t tag, std::uint64_t value) {
    *to++ = tag;
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
    *to++ = static_cast<std::uint8_t>(value);
    return to;
  };
  const auto head_size = static_cast<std::size_t>(put(head.data(), 0x0a, size) - head.data());  // the field data = 1
  const auto tail_size = static_cast<std::size_t>(put(tail.data(), 0x10, left) - tail.data());  // the field left = 2
  auto* bytes = const_cast<std::uint8_t*>(frame->data() + at);                                  // gRPC only reads them
  const std::array slices{grpc::Slice(head.data(), head_size),
                          grpc::Slice(
                              bytes, size, [](void* owner) { delete static_cast<Owner*>(owner); }, new Owner(frame)),
                          grpc::Slice(tail.data(), tail_size)};
  grpc::ByteBuffer(slices.data(), left > 0 ? 3 : 2).Swap(&out);
  return at + size;
}

// Assembles pieces into frames in one buffer. The size that the first piece announces only reserves addresses, at most
// `most`; memory grows with the bytes that arrive.
class Assembler {
 public:
  explicit Assembler(Bytes room = {}) : frame_(std::move(room)) { frame_.clear(); }

  // Adds a piece. Returns true when the frame in `frame` is complete; take() then empties it.
  bool add(const v1::Chunk& chunk, std::size_t most) {
    const std::string& data = chunk.data();
    if (data.size() > kChunk || (data.empty() && chunk.left() > 0))
      throw WireError(
          fmt::format("piece: found {} bytes with {} to follow, accepted: at most {}, and at least 1 before the last",
                      data.size(), chunk.left(), kChunk));
    if (begun_ && chunk.left() + data.size() != left_)
      throw WireError(fmt::format("piece: found {} bytes and {} to follow, accepted: {} in all, as announced before",
                                  data.size(), chunk.left(), left_));
    if (chunk.left() > most || frame_.size() + data.size() > most - chunk.left())
      throw WireError(fmt::format("frame: found {} bytes and {} to follow, accepted: at most {} in all",
                                  frame_.size() + data.size(), chunk.left(), most));
    if (!begun_) frame_.reserve(data.size() + chunk.left());
    frame_.insert(frame_.end(), data.begin(), data.end());
    left_ = chunk.left();
    begun_ = left_ > 0;
    return !begun_;
  }
  Bytes take() { return std::move(frame_); }

 private:
  Bytes frame_;
  std::uint64_t left_ = 0;
  bool begun_ = false;
};

}  // namespace pollen
