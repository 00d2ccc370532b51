// One-dimensional searches over positive numbers, on the logarithmic scale.
#pragma once

#include <functional>
#include <limits>

namespace pollen::plan {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns the largest x in [low, high] with holds(x). The condition must hold at `low` and up to some point only.
double largest(double low, double high, const std::function<bool(double)>& holds);

// Returns the x in [low, high] where f is smallest: it tries a grid, and then golden section around the best point.
double lowest(double low, double high, int grid, const std::function<double(double)>& f);

}  // namespace pollen::plan
