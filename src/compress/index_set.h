// Encodes what top-k and rand-k send of every vector: k different indices below d, ascending, with one value per index.
// Thread-safe if every thread has its own scratch.
//
// The payload holds the k values of all vectors as words, then the Rice codes of the gaps between indices of all. With
// b = ⌊log2⌊d/k⌋⌋, an index that skips g others since the last one is coded as ⌊g/2^b⌋ zeros, a one, and the low b bits
// of g, which is about log2(d/k) + 1.5 bits per index.
#pragma once

#include <span>

#include "pollen/compress.h"

namespace pollen::compress {

using Indices = std::span<const std::uint32_t>;

// Encodes the values of `decoded` at the indices, of which there are k per part. The caller has rounded them to the
// word size already (rounded() in payload.h). Appends to *payload unless it is null, and returns the length in bits.
std::int64_t encode_index_sets(Indices indices, std::span<const Encoding> parts, int bits, Bytes* payload,
                               Scratch& scratch);

// Reads k indices and values of every part and sets all other coordinates to zero.
void decode_index_sets(ByteView payload, Index k, int bits, std::span<const Decoding> parts, Scratch& scratch);

}  // namespace pollen::compress
