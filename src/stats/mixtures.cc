#include "stats/mixtures.h"

#include <math.h>  // for lgamma_r: std::lgamma writes to a global

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ranks.h"

namespace pollen::stats {

namespace {

constexpr double kManyEvents = 1e4;  // a Poisson law with such a rate is nearly normal

double standard_normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

struct Curve {
  double value = 0, slope = 0;  // the distribution function and its derivative
};

Curve mixture_at(std::span<const double> mean, std::span<const double> sd, double x) {
  Curve sum;
  for (std::size_t s = 0; s < mean.size(); ++s) {
    if (!(sd[s] > 0)) {
      sum.value += x >= mean[s] ? 1 : 0;
      continue;
    }
    const double z = (x - mean[s]) / sd[s];
    sum.value += standard_normal_cdf(z);
    sum.slope += std::exp(-0.5 * z * z) / (sd[s] * std::sqrt(2 * std::numbers::pi));
  }
  const auto count = static_cast<double>(mean.size());
  return {sum.value / count, sum.slope / count};
}

// Returns P(Y ≤ k). It sums the terms of the shorter tail, starting at k, until they no longer matter.
double poisson_cdf(double k, double rate) {
  if (k < 0) return 0;
  if (rate <= 0) return 1;
  if (rate > kManyEvents) return standard_normal_cdf((k + 0.5 - rate) / std::sqrt(rate));
  int sign = 0;
  const bool below = k < rate;
  double j = below ? k : k + 1;
  double term = std::exp(j * std::log(rate) - rate - lgamma_r(j + 1, &sign)), sum = 0;
  for (; term > 1e-17 * sum;) {
    sum += term;
    if (below && j == 0) break;
    term *= below ? j / rate : rate / (j + 1);
    j += below ? -1 : 1;
  }
  return below ? sum : 1 - sum;
}

double poisson_mixture_at(std::span<const double> rate, double k) {
  double sum = 0;
  for (const double r : rate) sum += poisson_cdf(k, r);
  return sum / static_cast<double>(rate.size());
}

}  // namespace

double normal_cdf(double x, double mean, double sd) {
  return sd > 0 ? standard_normal_cdf((x - mean) / sd) : x >= mean ? 1 : 0;
}

// Small counts are summed from 0 on, once for all numbers.
void poisson_cdfs(double rate, std::span<const double> at, std::span<double> out) {
  constexpr double kFewEvents = 500, kSmallCount = 100;
  if (at.empty()) return;
  if (!(rate > 0 && rate < kFewEvents) || at.back() > kSmallCount) {
    for (std::size_t i = 0; i < at.size(); ++i) out[i] = poisson_cdf(std::floor(at[i]), rate);
    return;
  }
  double k = 0, term = std::exp(-rate), sum = term;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (; k + 1 <= at[i]; sum += term) k += 1, term *= rate / k;
    out[i] = at[i] < 0 ? 0 : std::min(1.0, sum);
  }
}

// Takes Newton steps inside a bracket, which the smallest and the largest quantile of the components provide.
double normal_mixture_quantile(std::span<const double> mean, std::span<const double> sd, double p) {
  constexpr int kMostSteps = 200;
  const double z = normal_quantile(p);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t s = 0; s < mean.size(); ++s) {
    const double own = mean[s] + z * sd[s];
    if (!std::isfinite(own)) return std::numeric_limits<double>::quiet_NaN();
    low = std::min(low, own);
    high = std::max(high, own);
  }
  double x = 0.5 * (low + high);
  const double enough = 1e-10 * (high - low);
  for (int step = 0; step < kMostSteps && high - low > enough; ++step) {
    const Curve at = mixture_at(mean, sd, x);
    (at.value < p ? low : high) = x;
    const double newton = x - (at.value - p) / at.slope;
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (std::abs(next - x) <= enough) return next;
    x = next;
  }
  return x;
}

double poisson_mixture_quantile(std::span<const double> rate, double p) {
  double most = 0;
  for (const double r : rate) {
    if (!std::isfinite(r)) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, r);
  }
  double low = -1, high = std::ceil(most + 10 * std::sqrt(most) + 20);  // P(Y ≤ low) < p ≤ P(Y ≤ high)
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    if (middle <= low || middle >= high) break;  // counts beyond 2^53 are not all representable
    (poisson_mixture_at(rate, middle) < p ? low : high) = middle;
  }
  return high;
}

}  // namespace pollen::stats
