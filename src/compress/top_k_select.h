// Finds the k largest magnitudes of a vector in O(d), ties going to the lower index. Thread-safe if every thread has
// its own scratch.
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::compress {

// Returns the indices of the k largest magnitudes, ascending, in memory of the caller's scratch frame; 1 ≤ k ≤ d.
// Infinities and NaNs count as the largest of all, so if the vector has any, one is among the k that are returned.
std::span<std::uint32_t> largest(std::span<const double> v, Index k, Scratch& scratch);

}  // namespace pollen::compress
