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

}  // namespace pollen::privacy
