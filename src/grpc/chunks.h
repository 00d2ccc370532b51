// Frames to pieces and back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "federation.pb.h"
#include "pollen/errors.h"
#include "pollen/types.h"

namespace pollen {

inline constexpr std::size_t kChunk = std::size_t{1} << 20;

// The piece of `frame` from `at` on; returns where the next one begins.
inline std::size_t cut(const Bytes& frame, std::size_t at, v1::Chunk& chunk) {
  const std::size_t size = std::min(kChunk, frame.size() - at);
  chunk.set_data(frame.data() + at, size);
  chunk.set_left(frame.size() - at - size);
  return at + size;
}

// Pieces of one frame after another. Memory grows as bytes really come, never by what a piece promises.
class Assembler {
 public:
  // True when the frame is whole and in `frame`, which take() empties.
  bool add(const v1::Chunk& chunk, std::size_t most) {
    const std::string& data = chunk.data();
    if (data.size() > kChunk || (data.empty() && chunk.left() > 0)) throw WireError("piece: of a size that cannot be");
    if (begun_ && chunk.left() + data.size() != left_) throw WireError("piece: not the one that follows");
    if (chunk.left() > most || frame_.size() + data.size() > most - chunk.left())
      throw WireError("frame: longer than any that is expected");
    if (!begun_) frame_.reserve(std::min<std::size_t>(data.size() + chunk.left(), 4 * kChunk));
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
