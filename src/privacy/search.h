// Searches for the largest whole number that satisfies a condition.
#pragma once

#include <functional>

#include "pollen/types.h"

namespace pollen::privacy {

// Returns the largest n in 1..limit with fits(n), or 0 if there is none. fits(n) must imply fits(n - 1). It makes about
// 2 log2 n calls.
Index largest(Index limit, const std::function<bool(Index)>& fits);

}  // namespace pollen::privacy
