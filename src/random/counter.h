// Inside the room: where a stream's address goes in Philox's counter; the layout is the one random.h promises.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pollen/random.h"

namespace pollen {

// The counter words after the first (which is the index of the block of four words).
inline std::array<std::uint32_t, 3> counter_tail(const Stream& stream) {
  const std::uint32_t round_high = static_cast<std::uint32_t>(stream.round >> 32) & 0xfffu;
  return {stream.client, static_cast<std::uint32_t>(stream.round), round_high | (stream.step << 12)};
}

inline std::array<std::uint32_t, 4> counter_of(const Stream& stream, std::uint64_t block) {
  const std::array<std::uint32_t, 3> tail = counter_tail(stream);
  return {static_cast<std::uint32_t>(block), tail[0], tail[1], tail[2]};
}

// The 64-bit words first, first + 1, ... of the stream. `first` is even.
void random_words64(const Stream& stream, std::span<std::uint64_t> out, std::uint64_t first);

// One Box-Muller normal from two 64-bit words: the first of the pair that normals() makes of the same words.
double normal_from_words(std::uint64_t radius_word, std::uint64_t angle_word);

}  // namespace pollen
