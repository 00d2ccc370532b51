// The vectorised pass of qsgd. One call computes norms, random words, levels, decoded values and the sums from which
// code lengths follow. AVX2 and AVX-512 give the same bits. Thread-safe.
#pragma once

#include <span>

#include "compress/qsgd.h"
#include "pollen/compress.h"
#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen::compress {

struct QuantiseJob {
  const Encoding* what = nullptr;   // word j of its stream rounds coordinate j; `decoded` receives ± level · norm / s
  std::uint32_t* levels = nullptr;  // receives level · 2 + sign, aligned, with room for whole groups of 64
  // The norm as it is sent. It is 0 if all levels are zero and NaN if it is out of range; nothing was written then.
  float norm = 0;
  QsgdCounts counts = {};
};

inline constexpr std::size_t kTogether = 8;  // the most vectors that quantise() takes at once
// Quantises at most kTogether vectors to levels 0..s. Several vectors per call are faster, because none waits for
// another's norm.
void quantise(std::span<QuantiseJob> jobs, std::uint32_t s);

// Writes the positions of the non-zeros, in order. It may overwrite up to kBeyond places after the last one.
inline constexpr std::size_t kBeyond = 8;
void find_nonzeros(std::span<const double> decoded, std::uint32_t* positions);

}  // namespace pollen::compress
