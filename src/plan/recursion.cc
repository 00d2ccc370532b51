// Everything is computed by doubling: the map x → M x + c done twice is x → M² x + (M c + c), and so on. Only sums and
// products of non-negative numbers occur, so that no digits cancel.
#include "recursion.h"

#include <cmath>
#include <numeric>

#include "search.h"

namespace pollen::plan {

namespace {

using Numbers = std::vector<double>;

constexpr int kDoublings = 64;  // 2^64 iterations are as good as infinitely many in double precision

// The product of a square matrix, row after row, with a matrix of `columns` columns.
Numbers product(const Numbers& a, const Numbers& b, std::size_t columns) {
  const std::size_t n = b.size() / columns;
  Numbers result(b.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] += a[i * n + k] * b[k * columns + j];
  return result;
}

Numbers applied(const Recursion& map, const Numbers& x) {
  Numbers result = product(map.entries, x, 1);
  for (std::size_t i = 0; i < x.size(); ++i) result[i] += map.constant[i];
  return result;
}

void do_twice(Recursion& map) {
  map.constant = applied(map, map.constant);
  map.entries = product(map.entries, map.entries, map.constant.size());
}

}  // namespace

// Gelfand's formula: the 2^k-th root of the size of M^(2^k), where each power is scaled to size one before it is
// squared.
double Recursion::rate() const {
  Numbers power = entries;
  double log_rate = 0, weight = 1;
  for (int k = 0; k < kDoublings; ++k, weight /= 2) {
    const double size =
        std::accumulate(power.begin(), power.end(), 0.0, [](double sum, double x) { return sum + std::abs(x); });
    if (size == 0) return 0;
    log_rate += weight * std::log(size);
    for (double& x : power) x /= size;
    power = product(power, power, constant.size());
  }
  return std::exp(log_rate);
}

double Recursion::limit() const {
  if (!(rate() < 1)) return kInfinity;
  Recursion map = *this;
  for (int k = 0; k < kDoublings; ++k) do_twice(map);
  return map.constant[0];
}

double Recursion::after(double iterations) const {
  if (!(rate() < 1)) return kInfinity;
  Recursion map = *this;
  Numbers x = start;
  for (double k = std::floor(iterations); k >= 1; k = std::floor(k / 2)) {
    if (std::fmod(k, 2) == 1) x = applied(map, x);
    do_twice(map);
  }
  return x[0];
}

}  // namespace pollen::plan
