// Tells how many dense codes of qsgd always fit one BitReader::refill(), so that loops over such groups can be
// unrolled.
#pragma once

#include <type_traits>

#include "elias.h"

namespace pollen::compress {

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

}  // namespace pollen::compress
