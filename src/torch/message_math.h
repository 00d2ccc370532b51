// Computes one coordinate of a quantised message, on the CPU and on a GPU. The numbers equal those of src/compress to
// the last bit: the norm has 32 partial sums, the random words are those of Philox4x32-10, and operations are fused
// only where they are fused there.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "messages.h"

#ifdef __CUDACC__
#define POLLEN_BOTH __host__ __device__ inline
#else
#define POLLEN_BOTH inline
#endif

namespace pollen::torch_room {

// Returns H_i - h_i at position j of the clients × dimension numbers.
POLLEN_BOTH double aimed(const MessagePass& pass, std::int64_t client, std::int64_t j) {
  double v;
  if (pass.at_anchor) {
    v = pass.anchored[j];
  } else {
    v = pass.scale * static_cast<double>(pass.here[j]);
    if (pass.there != nullptr) v -= pass.scale * static_cast<double>(pass.there[j]);
    v *= pass.factor[client];
    if (pass.anchored != nullptr) v += pass.anchored[j];
  }
  return pass.memory == nullptr ? v : v - pass.memory[j];
}

struct FourWords {
  std::uint32_t word[4];
};

POLLEN_BOTH FourWords philox(FourWords counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = static_cast<std::uint64_t>(0xD2511F53u) * counter.word[0];
    const std::uint64_t b = static_cast<std::uint64_t>(0xCD9E8D57u) * counter.word[2];
    counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(b),
                static_cast<std::uint32_t>(a >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// Returns words 4·index .. 4·index + 3 of a client's stream in a round.
POLLEN_BOTH FourWords message_words(std::uint32_t index, std::uint32_t client, std::uint64_t round,
                                    const std::uint32_t* key) {
  return philox({{index, client, static_cast<std::uint32_t>(round), static_cast<std::uint32_t>(round >> 32) & 0xFFFu}},
                key[0], key[1]);
}

// Rounds ‖v‖ up to 8 bits of fraction (qsgd_norm in compress/qsgd.h). The result is 0 below float32's normal range, and
// NaN above the range or if ‖v‖ is not finite.
POLLEN_BOTH double wire_norm(double norm) {
  if (!(norm <= 3.39617752923046e38)) return NAN;
  if (norm < 1.1754943508222875e-38) return 0;
  std::uint64_t word;
  std::memcpy(&word, &norm, sizeof word);
  const std::uint64_t below = (std::uint64_t{1} << 44) - 1;
  word = (word + below) & ~below;
  std::memcpy(&norm, &word, sizeof word);
  return norm;
}

// Returns the level of |v|·s/norm, rounded up if word·2^-32 is below its fractional part.
POLLEN_BOTH double level_of(double v, double scale, double top, std::uint32_t word) {
  const double x = fmin(fabs(v) * scale, top), low = floor(x);
  return static_cast<double>(word) * 0x1p-32 < x - low ? low + 1 : low;
}

POLLEN_BOTH std::uint32_t log2_floor(std::uint32_t n) {
#ifdef __CUDA_ARCH__
  return 31u - static_cast<std::uint32_t>(__clz(static_cast<int>(n)));
#else
  return 31u - static_cast<std::uint32_t>(__builtin_clz(n));
#endif
}

POLLEN_BOTH std::uint32_t gamma_bits(std::uint32_t n) { return 2 * log2_floor(n) + 1; }

}  // namespace pollen::torch_room
