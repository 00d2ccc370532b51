// R-hat, effective sample sizes and Monte Carlo standard errors of one parameter, from split chains.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rank_diagnostics.h"
#include "ranks.h"

namespace pollen::stats {
namespace {

double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNaN : std::max(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNaN : std::min(a, b); }

double ess_at_most(const Draws& draws, double bound) {
  std::vector<double> indicator(draws.values.size());
  std::transform(draws.values.begin(), draws.values.end(), indicator.begin(),
                 [&](double x) { return x <= bound ? 1.0 : 0.0; });
  return basic_ess(split({indicator, draws.chains}));
}

}  // namespace

bool usable(const Draws& draws) {
  const auto size = static_cast<Index>(draws.values.size());
  if (draws.chains < 1 || size % draws.chains != 0) throw std::invalid_argument("draws: chains of unequal length");
  return size > 0 && std::all_of(draws.values.begin(), draws.values.end(), [](double x) { return std::isfinite(x); });
}

// Returns the larger of two R-hats. The second is computed from the distances to the median and detects chains that
// differ in spread.
double rhat_of(const Draws& draws, const SplitChains& scores, std::span<const double> sorted) {
  const double median = sorted_median(sorted);
  std::vector<double> folded(draws.values.begin(), draws.values.end());
  for (double& value : folded) value = std::abs(value - median);
  return larger(basic_rhat(scores), basic_rhat(rank_normalise(split({folded, draws.chains}))));
}

double tail_ess_of(const Draws& draws, std::span<const double> sorted) {
  if (degenerate(draws.values)) return kNaN;
  return smaller(ess_at_most(draws, sorted_quantile(sorted, 0.05)), ess_at_most(draws, sorted_quantile(sorted, 0.95)));
}

double rhat(const Draws& draws) {
  return usable(draws) ? rhat_of(draws, rank_normalise(split(draws)), sorted_copy(draws.values)) : kNaN;
}

double ess_bulk(const Draws& draws) { return usable(draws) ? basic_ess(rank_normalise(split(draws))) : kNaN; }

double ess_tail(const Draws& draws) { return usable(draws) ? tail_ess_of(draws, sorted_copy(draws.values)) : kNaN; }

double ess_mean(const Draws& draws) { return usable(draws) ? basic_ess(split(draws)) : kNaN; }

double mcse_mean(const Draws& draws) { return std::sqrt(variance(draws.values) / ess_mean(draws)); }

double quantile(std::span<const double> values, double p) {
  if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) return kNaN;
  return sorted_quantile(sorted_copy(values), p);
}

}  // namespace pollen::stats
