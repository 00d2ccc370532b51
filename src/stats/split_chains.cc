#include "split_chains.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ranks.h"

namespace pollen::stats {
namespace {

std::vector<double> chain_means(const SplitChains& x) {
  std::vector<double> means(x.chains);
  for (std::size_t c = 0; c < x.chains; ++c) means[c] = mean(x.chain(c));
  return means;
}

// The autocorrelation over all chains at lag t: 1 - (W - acov_t)/var⁺.
struct Autocorrelation {
  std::vector<double> covariance;
  double within = 0;
  double total = 0;
  double at(std::size_t lag) const { return 1 - (within - covariance[lag]) / total; }
};

Autocorrelation autocorrelation(const SplitChains& x) {
  const auto n = static_cast<double>(x.length);
  Autocorrelation result;
  result.covariance = mean_autocovariance(x);
  result.within = result.covariance[0] * n / (n - 1);
  result.total = result.within * (n - 1) / n + (x.chains > 1 ? variance(chain_means(x)) : 0.0);
  return result;
}

// Keeps autocorrelations in pairs of lags (0,1), (2,3), ... while the sum of a pair is positive. Returns the last even
// lag that was looked at.
std::size_t initial_positive(const Autocorrelation& rho, std::vector<double>& kept) {
  std::size_t t = 0;
  double even = 1, odd = rho.at(1);
  kept[0] = even;
  kept[1] = odd;
  while (t + 5 < kept.size() && even + odd > 0) {
    t += 2;
    even = rho.at(t);
    odd = rho.at(t + 1);
    if (even + odd >= 0) {
      kept[t] = even;
      kept[t + 1] = odd;
    }
  }
  if (even > 0) kept[t] = even;
  return t;
}

void make_monotone(std::vector<double>& kept, std::size_t last) {
  for (std::size_t t = 2; t + 2 <= last; t += 2) {
    const double before = kept[t - 2] + kept[t - 1];
    if (kept[t] + kept[t + 1] > before) kept[t] = kept[t + 1] = before / 2;
  }
}

}  // namespace

bool degenerate(std::span<const double> x) {
  if (x.empty()) return true;
  double low = x[0], high = x[0];
  for (const double value : x) {
    if (!std::isfinite(value)) return true;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high - low < std::numeric_limits<double>::epsilon();
}

SplitChains split(const Draws& draws) {
  const auto length = static_cast<std::size_t>(draws.length()), half = length / 2;
  SplitChains result;
  result.chains = 2 * static_cast<std::size_t>(draws.chains);
  result.length = half;
  result.values.reserve(result.chains * half);
  for (std::size_t c = 0; 2 * c < result.chains; ++c) {
    const auto chain = draws.values.subspan(c * length, length);
    const auto first = chain.first(half), last = chain.last(half);
    result.values.insert(result.values.end(), first.begin(), first.end());
    result.values.insert(result.values.end(), last.begin(), last.end());
  }
  return result;
}

SplitChains rank_normalise(const SplitChains& x) {
  SplitChains z{average_ranks(x.values), x.chains, x.length};
  const double count = static_cast<double>(z.values.size());
  for (double& value : z.values) value = normal_quantile((value - 0.375) / (count - 2 * 0.375 + 1));
  return z;
}

double basic_rhat(const SplitChains& x) {
  if (x.length < 2 || degenerate(x.values)) return kNaN;
  double within = 0;
  for (std::size_t c = 0; c < x.chains; ++c) within += variance(x.chain(c));
  within /= static_cast<double>(x.chains);
  const auto n = static_cast<double>(x.length);
  const double between = n * variance(chain_means(x));
  return std::sqrt((between / within + n - 1) / n);
}

double basic_ess(const SplitChains& x) {
  if (x.length < 3 || degenerate(x.values)) return kNaN;
  std::vector<double> kept(x.length, 0.0);
  const std::size_t last = initial_positive(autocorrelation(x), kept);
  make_monotone(kept, last);
  double sum = 0;
  for (std::size_t t = 0; t < std::max<std::size_t>(last, 1); ++t) sum += kept[t];
  const auto draws = static_cast<double>(x.chains * x.length);
  const double time = -1 + 2 * sum + kept[last];
  return draws / std::max(time, 1 / std::log10(draws));
}

}  // namespace pollen::stats
