#include "search.h"

namespace pollen::privacy {

Index largest(Index limit, const std::function<bool(Index)>& fits) {
  if (limit < 1) return 0;
  Index low = 0, high = 1;  // low fits or is 0
  while (high < limit && fits(high)) {
    low = high;
    high = high > limit / 2 ? limit : 2 * high;
  }
  if (fits(high)) return high;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace pollen::privacy
