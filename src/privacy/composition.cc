#include "composition.h"

#include <algorithm>
#include <cmath>

namespace pollen::privacy {

double log_expm1(double x) { return x < 1 ? std::log(std::expm1(x)) : x + std::log1p(-std::exp(-x)); }

double compose(double epsilon, double times, double slack) {
  if (slack <= 0) return epsilon * times;
  const double advanced = std::sqrt(2 * times * -std::log(slack)) + times * std::expm1(epsilon);
  return epsilon * std::min(advanced, times);
}

double amplify(double epsilon, double q) {
  if (q >= 1) return epsilon;
  if (epsilon < 1) return std::log1p(q * std::expm1(epsilon));
  return epsilon + std::log(q + (1 - q) * std::exp(-epsilon));
}

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
