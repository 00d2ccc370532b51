#include "parameter_plots.h"

#include <algorithm>
#include <cmath>

#include "sink/parallel.h"
#include "stats/plot_stats.h"

namespace pollen::report {

namespace {

constexpr std::size_t kTracePoints = 2000, kDensityPoints = 128, kBins = 20, kLagPoints = 60, kMostParameters = 300;
constexpr std::size_t kLongestLag = 2000;
constexpr double kSmall = 0.05;  // smaller autocorrelations are treated as zero

// Returns how far apart the shown draws are, so that at most `most` points remain.
std::size_t every_for(std::size_t length, std::size_t most) {
  return std::max<std::size_t>(1, (length + most - 1) / most);
}

// The sizes of all arrays.
struct Sizes {
  std::size_t parameters = 0, chains = 0, length = 0;
  std::size_t every = 1, points = 0;  // spacing and number of the points in traces
  std::size_t lags = 1;               // number of lags computed
};

Sizes sizes_of(const sink::DrawSet& draws, std::size_t parameters, const PlotBudget& budget) {
  Sizes s{parameters, static_cast<std::size_t>(draws.chains), static_cast<std::size_t>(draws.length)};
  const std::size_t fits = budget.trace / std::max<std::size_t>(1, parameters * s.chains);
  s.every = every_for(s.length, std::clamp<std::size_t>(fits, 2, kTracePoints));
  s.points = s.length / s.every;
  s.lags = std::clamp<std::size_t>(s.length / 2, 1, kLongestLag);
  return s;
}

struct Curves {
  explicit Curves(const Sizes& s)
      : trace(s.parameters * s.chains * s.points),
        density(s.parameters * (s.chains + 1) * kDensityPoints),
        autocorrelation(s.parameters * s.chains * s.lags),
        low(s.parameters),
        high(s.parameters),
        ranks(s.parameters * s.chains * kBins) {}
  std::vector<double> trace, density, autocorrelation;
  std::vector<double> low, high;  // limits of the density grids
  std::vector<std::uint32_t> ranks;
};

void add_trace(const stats::Draws& draws, std::size_t every, std::span<double> out) {
  const auto length = static_cast<std::size_t>(draws.length()), points = length / every;
  for (std::size_t c = 0; c < static_cast<std::size_t>(draws.chains); ++c)
    for (std::size_t i = 0; i < points; ++i) out[c * points + i] = draws.values[c * length + (i + 1) * every - 1];
}

template <class T>
void place(const std::vector<T>& values, std::size_t index, std::vector<T>& all) {
  std::ranges::copy(values, all.begin() + static_cast<std::ptrdiff_t>(index * values.size()));
}

void add_parameter(const stats::Draws& draws, std::size_t p, const Sizes& s, Curves& out) {
  const std::size_t each = s.chains * s.points;
  add_trace(draws, s.every, std::span(out.trace).subspan(p * each, each));
  const stats::Densities density = stats::densities(draws, kDensityPoints);
  out.low[p] = density.low;
  out.high[p] = density.high;
  place(density.values, p, out.density);
  place(stats::rank_histograms(draws, kBins), p, out.ranks);
  place(stats::autocorrelations(draws, static_cast<Index>(s.lags)), p, out.autocorrelation);
}

// Returns the lag beyond which every chain's autocorrelation is negligible, extended by half.
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

std::size_t room_for_plots(Index chains, const PlotBudget& budget) {
  const auto many = static_cast<std::size_t>(chains);
  const std::size_t each = (many + 1) * kDensityPoints + many * (2 * kBins + kLagPoints);
  return std::clamp<std::size_t>(budget.curves / each, 1, kMostParameters);
}

Json parameter_plots(const sink::DrawSet& draws, const std::vector<std::size_t>& which,
                     const std::vector<std::size_t>& rows, const PlotBudget& budget, int threads) {
  const Sizes s = sizes_of(draws, which.size(), budget);
  Curves curves(s);
  sink::for_each_index(static_cast<Index>(which.size()), threads, [&](Index index) {
    const auto p = static_cast<std::size_t>(index);
    add_parameter(draws.of(static_cast<Index>(which[p])), p, s, curves);
  });
  const auto lags = spread_lags(last_lag(curves.autocorrelation, s.lags));
  constexpr double kZero = 0;
  return {{"rows", rows},
          {"chains", s.chains},
          {"draws", s.length},
          {"every", s.every},
          {"trace", scaled_block({s.parameters, s.chains, s.points}, curves.trace)},
          {"density", scaled_block({s.parameters, s.chains + 1, kDensityPoints}, curves.density, &kZero)},
          {"densityLow", numbers(curves.low)},
          {"densityHigh", numbers(curves.high)},
          {"ranks", counts_block({s.parameters, s.chains, kBins}, curves.ranks)},
          {"autocorrelation",
           scaled_block({s.parameters, s.chains, lags.size()}, picked(curves.autocorrelation, s.lags, lags))},
          {"lags", lags}};
}

}  // namespace pollen::report
