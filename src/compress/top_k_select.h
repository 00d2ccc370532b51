// The k largest magnitudes of a vector, ties to the lower index, in O(d).
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::compress {

// Their indices, ascending, in memory of the caller's scratch frame. 1 ≤ k ≤ d. Infinities and NaNs count as the
// largest of all, so a vector that has one has one among its k largest.
std::span<std::uint32_t> largest(std::span<const double> v, Index k, Scratch& scratch);

}  // namespace pollen::compress
