// The two layouts of qsgd's levels, after Alistarh et al. 2017 (QSGD, section 3.2). Functions here take and return a
// level as the number level·2 + sign.
//
// Dense:  for each coordinate gamma(level + 1) and, if the level is not zero, a sign bit.
// Sparse: for each non-zero gamma(gap), gamma(level) and a sign bit, where gap is the distance from the previous
//         non-zero (for the first one: from position -1). At the end comes the gap to position d.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <type_traits>

#include "elias.h"
#include "pollen/types.h"

namespace pollen::compress {

using Levels = std::span<const std::uint32_t>;
using Positions = std::span<const std::uint32_t>;  // positions of the non-zeros, in order

// Returns level·2 + sign of a decoded value, where per_unit = s / norm. Their product is the level up to rounding.
inline std::uint32_t level_and_sign(double decoded, double per_unit) {
  const auto level = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::abs(decoded) * per_unit + 0.5));
  return 2 * level + static_cast<std::uint32_t>(std::signbit(decoded));
}

// Bits of the longest dense code, sign included.
inline unsigned longest_dense(std::uint32_t most_level) { return gamma_length(std::uint64_t{most_level} + 1) + 1; }

// Calls f(integral_constant<G>), where G ≤ 6 is the number of longest codes that fit one refill().
template <class F>
void with_group(std::uint32_t most_level, F f) {
  switch (BitReader::kMost / longest_dense(most_level)) {
    case 1:
      return f(std::integral_constant<std::size_t, 1>());
    case 2:
      return f(std::integral_constant<std::size_t, 2>());
    case 3:
      return f(std::integral_constant<std::size_t, 3>());
    case 4:
      return f(std::integral_constant<std::size_t, 4>());
    case 5:
      return f(std::integral_constant<std::size_t, 5>());
    default:
      return f(std::integral_constant<std::size_t, 6>());
  }
}

// Total length in bits of the gamma codes of all gaps in the sparse layout.
std::uint64_t gap_length(Positions nonzero, std::size_t d);

// Write a layout and return the advanced writer. For the dense one, `levels` must be aligned and readable up to a
// multiple of 64 bytes.
BitWriter put_dense(BitWriter writer, Levels levels, std::uint32_t most_level);
BitWriter put_sparse(BitWriter writer, Levels levels, Positions nonzero);

// Read a layout to levels with their signs, and return the advanced reader. Some levels may be above the most.
BitReader take_dense(BitReader reader, std::uint32_t most_level, std::span<std::int32_t> levels);
BitReader take_sparse(BitReader reader, std::uint32_t most_level, std::span<std::int32_t> levels);

}  // namespace pollen::compress
