#include "ranks.h"

#include <algorithm>
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

double sorted_median(std::span<const double> sorted) {
  if (sorted.empty()) return kNaN;
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return static_cast<double>((static_cast<long double>(sorted[half - 1]) + sorted[half]) / 2);
}

std::vector<double> sorted_copy(std::span<const double> x) {
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace pollen::stats
