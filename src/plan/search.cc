#include "search.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pollen::plan {

double largest(double low, double high, const std::function<bool(double)>& holds) {
  if (holds(high)) return high;
  for (int i = 0; i < 60 && high > low * (1 + 1e-10); ++i) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

namespace {

double golden(double a, double b, const std::function<double(double)>& f) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double left = b - ratio * (b - a), right = a + ratio * (b - a);
  double at_left = f(std::exp(left)), at_right = f(std::exp(right));
  for (int i = 0; i < 24; ++i) {
    if (at_left <= at_right) {
      b = right, right = left, at_right = at_left;
      left = b - ratio * (b - a), at_left = f(std::exp(left));
    } else {
      a = left, left = right, at_left = at_right;
      right = a + ratio * (b - a), at_right = f(std::exp(right));
    }
  }
  return std::exp(at_left <= at_right ? left : right);
}

}  // namespace

double lowest(double low, double high, int grid, const std::function<double(double)>& f) {
  const double from = std::log(low), width = (std::log(high) - from) / grid;
  if (!(width > 0)) return high;
  std::vector<double> values;
  for (int i = 0; i <= grid; ++i) values.push_back(f(i == grid ? high : std::exp(from + i * width)));
  const auto best = std::min_element(values.begin(), values.end());
  const auto at = static_cast<int>(best - values.begin());
  const double inside = golden(from + std::max(0, at - 1) * width, from + std::min(grid, at + 1) * width, f);
  return f(inside) < *best ? inside : at == grid ? high : std::exp(from + at * width);
}

}  // namespace pollen::plan
