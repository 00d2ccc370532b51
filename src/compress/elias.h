// Elias gamma codes (Elias 1975). The code of n ≥ 1 is ⌊log2 n⌋ zeros followed by the ⌊log2 n⌋+1 binary digits of n.
// Here n < 2^33. The bytes are specified in docs/formats/compressors.md.
#pragma once

#include <bit>

#include "bit_reader.h"
#include "bit_writer.h"

namespace pollen::compress {

constexpr unsigned log2_floor(std::uint64_t n) { return 63U - static_cast<unsigned>(std::countl_zero(n)); }

constexpr unsigned gamma_length(std::uint64_t n) { return 2 * log2_floor(n) + 1; }

inline void put_gamma(BitWriter& writer, std::uint64_t n) {
  const unsigned zeros = log2_floor(n);
  if (2 * zeros + 1 <= BitWriter::kMost) {
    writer.put(n, 2 * zeros + 1);
  } else {
    writer.put(0, zeros);
    writer.put(n, zeros + 1);
  }
}

// Reads one code with at most `most_zeros` (≤ 32) leading zeros. A longer code is a WireError.
inline std::uint64_t take_gamma(BitReader& reader, unsigned most_zeros) {
  reader.refill();
  const unsigned zeros = leading_zeros(reader.window());
  if (zeros > most_zeros) wire_error(zeros, "zeros before a number", "at most", most_zeros);
  if (2 * zeros + 1 > BitReader::kMost) {
    reader.skip(zeros);
    reader.refill();
    const std::uint64_t n = reader.window() >> (63 - zeros);
    reader.skip(zeros + 1);
    return n;
  }
  const std::uint64_t n = reader.window() >> (63 - 2 * zeros);
  reader.skip(2 * zeros + 1);
  return n;
}

}  // namespace pollen::compress
