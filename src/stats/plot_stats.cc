#include "stats/plot_stats.h"

#include <algorithm>
#include <cmath>

#include "ranks.h"
#include "split_chains.h"

namespace pollen::stats {

namespace {

constexpr double kTail = 0.001;   // share of the draws that a density's grid leaves out at each end
constexpr double kMargin = 0.1;   // added at each end, as a share of the grid's width
constexpr std::size_t kFine = 4;  // histogram bins per grid point
constexpr double kKernelEnd = 4;  // where a kernel is cut off, in standard deviations

struct Grid {
  double low = 0, high = 0;
  std::size_t bins = 0;
  double width() const { return (high - low) / static_cast<double>(bins); }
};

// Counts draws in fine bins. Draws beyond the grid are left out, but they count in the density's total.
std::vector<double> histogram(std::span<const double> x, const Grid& grid) {
  std::vector<double> counts(grid.bins, 0.0);
  for (const double value : x) {
    const double at = (value - grid.low) / grid.width();
    if (at >= 0 && at < static_cast<double>(grid.bins)) ++counts[static_cast<std::size_t>(at)];
  }
  return counts;
}

std::vector<double> half_kernel(double bandwidth, double width, std::size_t most) {
  std::vector<double> kernel;
  for (std::size_t k = 0; k < most; ++k) {
    const double z = static_cast<double>(k) * width / bandwidth;
    if (z > kKernelEnd) break;
    kernel.push_back(std::exp(-0.5 * z * z));
  }
  double sum = kernel.front();
  for (std::size_t k = 1; k < kernel.size(); ++k) sum += 2 * kernel[k];
  for (double& weight : kernel) weight /= sum;
  return kernel;
}

// Evaluates the density at the centre of every kFine-th bin.
void smooth(std::span<const double> x, const Grid& grid, std::span<double> out) {
  const double n = static_cast<double>(x.size());
  const double sd = x.size() > 1 ? std::sqrt(variance(x)) : 0;
  const double bandwidth = std::max(grid.width(), sd * std::pow(n, -0.2));
  const std::vector<double> counts = histogram(x, grid), kernel = half_kernel(bandwidth, grid.width(), grid.bins);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t centre = i * (grid.bins - 1) / (out.size() - 1);
    double sum = counts[centre] * kernel[0];
    for (std::size_t k = 1; k < kernel.size(); ++k) {
      if (k <= centre) sum += counts[centre - k] * kernel[k];
      if (centre + k < grid.bins) sum += counts[centre + k] * kernel[k];
    }
    out[i] = sum / (n * grid.width());
  }
}

}  // namespace

std::vector<double> autocorrelations(const Draws& draws, Index lags) {
  const auto chains = static_cast<std::size_t>(draws.chains), n = static_cast<std::size_t>(draws.length()),
             wanted = static_cast<std::size_t>(lags);
  std::vector<double> out(chains * wanted, kNaN);
  for (std::size_t c = 0; c < chains; ++c) {
    const auto chain = draws.values.subspan(c * n, n);
    if (degenerate(chain)) continue;
    const std::vector<double> covariance = mean_autocovariance({{chain.begin(), chain.end()}, 1, n});
    for (std::size_t lag = 0; lag < std::min(wanted, n); ++lag) out[c * wanted + lag] = covariance[lag] / covariance[0];
  }
  return out;
}

std::vector<std::uint32_t> rank_histograms(const Draws& draws, Index bins) {
  const auto chains = static_cast<std::size_t>(draws.chains), width = static_cast<std::size_t>(bins);
  std::vector<std::uint32_t> counts(chains * width, 0);
  if (!std::ranges::all_of(draws.values, [](double x) { return std::isfinite(x); })) return counts;
  const std::vector<double> ranks = average_ranks(draws.values);
  const auto length = static_cast<std::size_t>(draws.length());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double share = (ranks[i] - 0.5) / static_cast<double>(ranks.size());
    const auto bin = std::min(width - 1, static_cast<std::size_t>(share * static_cast<double>(width)));
    ++counts[i / length * width + bin];
  }
  return counts;
}

Densities densities(const Draws& draws, Index points) {
  const auto chains = static_cast<std::size_t>(draws.chains), width = static_cast<std::size_t>(points);
  Densities out;
  out.values.assign((chains + 1) * width, 0.0);
  if (degenerate(draws.values)) {
    out.low = out.high = draws.values.empty() ? 0.0 : draws.values.front();
    return out;
  }
  const std::vector<double> sorted = sorted_copy(draws.values);
  const double low = sorted_quantile(sorted, kTail), high = sorted_quantile(sorted, 1 - kTail);
  const double span = high > low ? high - low : sorted.back() - sorted.front();
  const Grid grid{low - kMargin * span, high + kMargin * span, kFine * width};
  out.low = grid.low + 0.5 * grid.width();
  out.high = grid.high - 0.5 * grid.width();
  const auto length = static_cast<std::size_t>(draws.length());
  for (std::size_t c = 0; c <= chains; ++c) {
    const auto x = c < chains ? draws.values.subspan(c * length, length) : draws.values;
    smooth(x, grid, std::span(out.values).subspan(c * width, width));
  }
  return out;
}

}  // namespace pollen::stats
