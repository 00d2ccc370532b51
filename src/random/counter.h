// What Sequence needs beyond random.h.
#pragma once

#include <cstdint>
#include <span>

#include "pollen/random.h"

namespace pollen {

// Writes the 64-bit words first, first + 1, ... of the stream. `first` must be even.
void random_words64(const Stream& stream, std::span<std::uint64_t> out, std::uint64_t first);

// Makes one Box-Muller normal from two 64-bit words: the first of the pair that normals() makes from the same words.
double normal_from_words(std::uint64_t radius_word, std::uint64_t angle_word);

}  // namespace pollen
