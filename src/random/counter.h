// Functions private to this room: whole counters of a stream, and what Sequence needs beyond random.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pollen/random.h"
#include "random/philox.h"

namespace pollen {

inline std::array<std::uint32_t, 4> counter_of(const Stream& stream, std::uint64_t block) {
  const std::array<std::uint32_t, 3> tail = counter_tail(stream);
  return {static_cast<std::uint32_t>(block), tail[0], tail[1], tail[2]};
}

// Writes the 64-bit words first, first + 1, ... of the stream. `first` must be even.
void random_words64(const Stream& stream, std::span<std::uint64_t> out, std::uint64_t first);

// Makes one Box-Muller normal from two 64-bit words: the first of the pair that normals() makes from the same words.
double normal_from_words(std::uint64_t radius_word, std::uint64_t angle_word);

}  // namespace pollen
