// The constants of Philox4x32 (Salmon et al. 2011, table 2) and the place of a stream's address in the counter. This
// header is for rooms that make random words inside their own kernels (see philox-inl.h); everyone else uses
// pollen/random.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pollen/random.h"

namespace pollen {

inline constexpr std::uint32_t kPhiloxM0 = 0xD2511F53u;  // the two multipliers
inline constexpr std::uint32_t kPhiloxM1 = 0xCD9E8D57u;
inline constexpr std::uint32_t kPhiloxW0 = 0x9E3779B9u;  // the two Weyl increments of the key
inline constexpr std::uint32_t kPhiloxW1 = 0xBB67AE85u;
inline constexpr std::uint32_t kPhiloxRounds = 10;

// The amounts that each round adds to the two words of the key. They are kept in memory on purpose: broadcasting a load
// does not use the ports that multiply, whereas compilers move constants that they can see through a register.
extern const std::uint64_t kPhiloxKeySteps[kPhiloxRounds][2];

// The counter words after the first, in the layout that pollen/random.h promises. (The first word is the index of the
// block of four words.)
inline std::array<std::uint32_t, 3> counter_tail(const Stream& stream) {
  const std::uint32_t round_high = static_cast<std::uint32_t>(stream.round >> 32) & 0xfffu;
  return {stream.client, static_cast<std::uint32_t>(stream.round), round_high | (stream.step << 12)};
}

// Writes the 64-bit words first, first + 1, ... of the stream. `first` must be even.
void random_words64(const Stream& stream, std::span<std::uint64_t> out, std::uint64_t first);

// Makes one Box-Muller normal from two 64-bit words: the first of the pair that normals() makes from the same words.
double normal_from_words(std::uint64_t radius_word, std::uint64_t angle_word);

}  // namespace pollen
