// The largest whole number that still fits.
#pragma once

#include <functional>

#include "pollen/types.h"

namespace pollen::privacy {

// The largest n in 1..limit with fits(n), 0 where there is none; fits(n) must imply fits(n - 1). About 2 log2 n calls.
Index largest(Index limit, const std::function<bool(Index)>& fits);

}  // namespace pollen::privacy
