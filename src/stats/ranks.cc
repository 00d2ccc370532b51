#include "ranks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace pollen::stats {
namespace {

double shifted_mean(std::span<const double> x, double shift) {
  double sum = 0;
  for (const double value : x) sum += value - shift;
  return shift + sum / static_cast<double>(x.size());
}

using Coefficients = std::array<double, 8>;  // the constant term comes first

// Numerators and denominators of PPND16 (Wichura 1988, algorithm AS 241) for the centre, the tails and the far tails.
constexpr Coefficients kA = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                             1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                             3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients kB = {1.0000000000000000000e0, 4.2313330701600911252e1, 6.8718700749205790830e2,
                             5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
                             2.8729085735721942674e4, 5.2264952788528545610e3};
constexpr Coefficients kC = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                             3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kD = {1.00000000000000000000e0,  2.05319162663775882187e0,  1.67638483018380384940e0,
                             6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
                             5.47593808499534494600e-4, 1.05075007164441684324e-9};
constexpr Coefficients kE = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kF = {1.00000000000000000000e0,  5.99832206555887937690e-1, 1.36929880922735805310e-1,
                             1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                             1.42151175831644588870e-7, 2.04426310338993978564e-15};

double ratio(const Coefficients& numerator, const Coefficients& denominator, double r) {
  double above = numerator[7], below = denominator[7];
  for (std::size_t j = 7; j-- > 0;) {
    above = above * r + numerator[j];
    below = below * r + denominator[j];
  }
  return above / below;
}

}  // namespace

// Computes the mean in two passes. The second removes the rounding error of the first, and a constant gives exactly
// itself.
double mean(std::span<const double> x) {
  if (x.empty()) return kNaN;
  const double first = shifted_mean(x, x.front());
  return std::isfinite(first) ? shifted_mean(x, first) : std::accumulate(x.begin(), x.end(), 0.0);
}

double variance(std::span<const double> x) {
  if (x.size() < 2) return kNaN;
  const double centre = mean(x);
  double sum = 0;
  for (const double value : x) sum += (value - centre) * (value - centre);
  return sum / static_cast<double>(x.size() - 1);
}

std::vector<double> average_ranks(std::span<const double> x) {
  // Values are stored beside their indices, so that sorting stays in the cache.
  std::vector<std::pair<double, std::size_t>> order(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) order[i] = {x[i], i};
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> ranks(x.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && order[last].first == order[first].first) ++last;
    const double rank = 0.5 * static_cast<double>(first + 1 + last);
    for (std::size_t i = first; i < last; ++i) ranks[order[i].second] = rank;
  }
  return ranks;
}

// The order of operations is that of R, so that "at most the quantile" counts the same draws.
double sorted_quantile(std::span<const double> sorted, double p) {
  if (sorted.empty() || !(p >= 0 && p <= 1)) return kNaN;
  const double index = 1 + static_cast<double>(sorted.size() - 1) * p;
  const double low = std::floor(index);
  const double below = sorted[static_cast<std::size_t>(low) - 1];
  const double above = sorted[static_cast<std::size_t>(std::ceil(index)) - 1];
  if (index == low || below == above) return below;
  const double h = index - low;
  return (1 - h) * below + h * above;
}

std::vector<double> sorted_copy(std::span<const double> x) {
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(kA, kB, 0.180625 - q * q);
  const double tail = std::min(p, 1 - p);
  if (tail == 0) return std::copysign(std::numeric_limits<double>::infinity(), q);
  const double r = std::sqrt(-std::log(tail));
  return std::copysign(r <= 5 ? ratio(kC, kD, r - 1.6) : ratio(kE, kF, r - 5), q);
}

}  // namespace pollen::stats
