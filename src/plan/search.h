// One-dimensional searches over positive numbers, on the logarithmic scale.
#pragma once

#include <functional>
#include <limits>

namespace pollen::plan {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest x in [low, high] with holds(x), for a condition that holds below some point; `low` must hold.
double largest(double low, double high, const std::function<bool(double)>& holds);

// Where f is least in [low, high]: a grid, then golden section around its best point.
double lowest(double low, double high, int grid, const std::function<double(double)>& f);

}  // namespace pollen::plan
