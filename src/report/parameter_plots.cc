#include "parameter_plots.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pollen/plot_stats.h"
#include "sink/parallel.h"

namespace pollen::report {

namespace {

constexpr std::size_t kTracePoints = 2000, kDensityPoints = 128, kBins = 20, kLagPoints = 60, kMostParameters = 300;
constexpr std::size_t kLongestLag = 2000;
constexpr double kSmall = 0.05;  // an autocorrelation that is as good as none

// Every so many-th draw, so that at most `most` points are left.
std::size_t every_for(std::size_t length, std::size_t most) { return std::max<std::size_t>(1, (length + most - 1) / most); }

struct Curves {
  std::vector<double> trace, density, autocorrelation;
  std::vector<std::uint32_t> ranks;
  std::vector<double> low, high;  // of density grids
};

void add_trace(const stats::Draws& draws, std::size_t every, std::span<double> out) {
  const auto length = static_cast<std::size_t>(draws.length()), points = length / every;
  for (std::size_t c = 0; c < static_cast<std::size_t>(draws.chains); ++c)
    for (std::size_t i = 0; i < points; ++i) out[c * points + i] = draws.values[c * length + (i + 1) * every - 1];
}

// The lag from which on no chain's autocorrelation is worth a look, and half as far again.
std::size_t last_lag(const std::vector<double>& all, std::size_t lags) {
  std::size_t last = 0;
  for (std::size_t first = 0; first < all.size(); first += lags) {
    std::size_t lag = 0;
    while (lag < lags && std::abs(all[first + lag]) > kSmall) ++lag;
    last = std::max(last, lag);
  }
  return std::clamp<std::size_t>(last + last / 2, std::min<std::size_t>(20, lags - 1), lags - 1);
}

std::vector<std::size_t> spread_lags(std::size_t last) {
  const std::size_t stride = std::max<std::size_t>(1, (last + kLagPoints - 1) / kLagPoints);
  std::vector<std::size_t> lags;
  for (std::size_t lag = 0; lag <= last; lag += stride) lags.push_back(lag);
  return lags;
}

std::vector<double> picked(const std::vector<double>& all, std::size_t width, const std::vector<std::size_t>& lags) {
  std::vector<double> out;
  out.reserve(all.size() / width * lags.size());
  for (std::size_t first = 0; first < all.size(); first += width)
    for (const std::size_t lag : lags) out.push_back(all[first + lag]);
  return out;
}

}  // namespace

std::vector<std::size_t> chosen(const std::vector<stats::ParameterSummary>& parameters, std::size_t most) {
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  const auto badness = [&](std::size_t j) {
    return std::isnan(parameters[j].rhat) ? std::numeric_limits<double>::infinity() : parameters[j].rhat;
  };
  // The first half stays where it is; the others compete.
  const auto contest = order.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::stable_sort(contest, order.end(), [&](std::size_t a, std::size_t b) { return badness(a) > badness(b); });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

std::size_t room_for_plots(Index chains, const PlotBudget& budget) {
  const auto many = static_cast<std::size_t>(chains);
  const std::size_t each = (many + 1) * kDensityPoints + many * (2 * kBins + kLagPoints);
  return std::clamp<std::size_t>(budget.curves / each, 1, kMostParameters);
}

Json parameter_plots(const sink::DrawSet& draws, const std::vector<std::size_t>& which,
                     const std::vector<std::size_t>& rows, const PlotBudget& budget, int threads) {
  const std::size_t count = which.size(), chains = static_cast<std::size_t>(draws.chains),
                    length = static_cast<std::size_t>(draws.length);
  const std::size_t fits = std::clamp<std::size_t>(budget.trace / std::max<std::size_t>(1, count * chains), 2, kTracePoints);
  const std::size_t every = every_for(length, fits), points = length / every;
  const std::size_t lags = std::clamp<std::size_t>(length / 2, 1, kLongestLag);
  Curves curves;
  curves.trace.resize(count * chains * points);
  curves.density.resize(count * (chains + 1) * kDensityPoints);
  curves.ranks.resize(count * chains * kBins);
  curves.autocorrelation.resize(count * chains * lags);
  curves.low.resize(count);
  curves.high.resize(count);
  sink::for_each_index(static_cast<Index>(count), threads, [&](Index index) {
    const auto p = static_cast<std::size_t>(index);
    const stats::Draws mine = draws.of(static_cast<Index>(which[p]));
    add_trace(mine, every, std::span(curves.trace).subspan(p * chains * points, chains * points));
    const stats::Densities density = stats::densities(mine, kDensityPoints);
    curves.low[p] = density.low;
    curves.high[p] = density.high;
    std::ranges::copy(density.values, curves.density.begin() + static_cast<std::ptrdiff_t>(p * density.values.size()));
    const auto ranks = stats::rank_histograms(mine, kBins);
    std::ranges::copy(ranks, curves.ranks.begin() + static_cast<std::ptrdiff_t>(p * ranks.size()));
    for (std::size_t c = 0; c < chains; ++c) {
      const auto one = stats::autocorrelations(mine.values.subspan(c * length, length), static_cast<Index>(lags));
      std::ranges::copy(one, curves.autocorrelation.begin() + static_cast<std::ptrdiff_t>((p * chains + c) * lags));
    }
  });
  const auto shown = spread_lags(last_lag(curves.autocorrelation, lags));
  constexpr double kZero = 0;
  return {{"rows", rows},
          {"chains", chains},
          {"draws", length},
          {"every", every},
          {"trace", scaled_block({count, chains, points}, curves.trace)},
          {"density", scaled_block({count, chains + 1, kDensityPoints}, curves.density, &kZero)},
          {"densityLow", numbers(curves.low)},
          {"densityHigh", numbers(curves.high)},
          {"ranks", counts_block({count, chains, kBins}, curves.ranks)},
          {"autocorrelation",
           scaled_block({count, chains, shown.size()}, picked(curves.autocorrelation, lags, shown))},
          {"lags", shown}};
}

}  // namespace pollen::report
