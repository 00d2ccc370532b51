// The norm that a qsgd message tells, by its definition: rounded up to eight bits behind the leading one.
#pragma once

#include <cmath>

namespace pollen {

inline double told_norm(double norm) {
  if (norm == 0) return 0;
  const int places = 8 - std::ilogb(norm);
  return std::ldexp(std::ceil(std::ldexp(norm, places)), -places);
}

}  // namespace pollen
