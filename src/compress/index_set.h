// Encodes what top-k and rand-k send: k different indices below d, ascending, with one value per index. Thread-safe if
// every thread has its own scratch.
//
// The payload holds the k values as words, then the Rice codes of the gaps between indices. With b = ⌊log2⌊d/k⌋⌋, an
// index that skips g others since the last one is coded as ⌊g/2^b⌋ zeros, a one, and the low b bits of g, which is
// about log2(d/k) + 1.5 bits per index.
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::compress {

using Indices = std::span<const std::uint32_t>;

// Encodes the values of `decoded` at `indices`. The caller has rounded them to the word size already (rounded() in
// payload.h). Appends to *payload unless it is null, and returns the length in bits.
std::int64_t encode_index_set(Indices indices, std::span<const double> decoded, int bits, Bytes* payload,
                              Scratch& scratch);

// Reads k indices and values into `out` and sets all other coordinates to zero.
void decode_index_set(ByteView payload, Index k, int bits, std::span<double> out, Scratch& scratch);

}  // namespace pollen::compress
