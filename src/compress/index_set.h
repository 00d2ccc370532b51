// k different indices below d, ascending, with a value each: what top-k and rand-k send.
//
// Payload: the k values as words, then the indices by Rice codes of their gaps. With b = ⌊log2⌊d/k⌋⌋, an index that
// skips g others since the last is ⌊g/2^b⌋ zeros, a one, and the low b bits of g: about log2(d/k) + 1.5 bits.
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::compress {

using Indices = std::span<const std::uint32_t>;

// The values at `indices` of `decoded`, each of which rounded() leaves alone. Appends to *payload unless it is null;
// returns the payload's bits.
std::int64_t encode_index_set(Indices indices, std::span<const double> decoded, int bits, Bytes* payload,
                              Scratch& scratch);

// Reads k indices and values into out, zero elsewhere.
void decode_index_set(ByteView payload, Index k, int bits, std::span<double> out, Scratch& scratch);

}  // namespace pollen::compress
