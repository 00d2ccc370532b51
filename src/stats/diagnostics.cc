// R-hat, effective sample sizes and Monte Carlo standard errors of one parameter, from split chains (Vehtari et al.
// 2021), and one row of a summary table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ranks.h"
#include "split_chains.h"

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

// Tells whether there are draws and all are finite. Other draws get no diagnostics, not even rank-based ones, because
// an infinite draw means that a chain went wrong. Throws std::invalid_argument if the chains differ in length.
bool usable(const Draws& draws) {
  const auto size = static_cast<Index>(draws.values.size());
  if (draws.chains < 1 || size % draws.chains != 0)
    throw std::invalid_argument(
        fmt::format("draws: found {} values in {} chains, accepted: chains of equal length", size, draws.chains));
  return size > 0 && std::all_of(draws.values.begin(), draws.values.end(), [](double x) { return std::isfinite(x); });
}

// Returns the larger of two R-hats. `scores` are the normal scores of the split draws; `sorted` holds all draws in
// increasing order. The second R-hat is computed from the distances to the median and detects chains that differ in
// spread.
double rhat_of(const Draws& draws, const SplitChains& scores, std::span<const double> sorted) {
  const double median = sorted_quantile(sorted, 0.5);
  std::vector<double> folded(draws.values.begin(), draws.values.end());
  for (double& value : folded) value = std::abs(value - median);
  return larger(basic_rhat(scores), basic_rhat(rank_normalise(split({folded, draws.chains}))));
}

double tail_ess_of(const Draws& draws, std::span<const double> sorted) {
  if (degenerate(draws.values)) return kNaN;
  return smaller(ess_at_most(draws, sorted_quantile(sorted, 0.05)), ess_at_most(draws, sorted_quantile(sorted, 0.95)));
}

// Returns the largest MCSE of any single chain. Chains that share participation are dependent, so none may count as
// evidence for another.
double worst_chain_mcse(const Draws& draws) {
  const auto length = static_cast<std::size_t>(draws.length());
  double worst = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(draws.chains); ++c) {
    const double mcse = mcse_mean({draws.values.subspan(c * length, length), 1});
    if (std::isnan(mcse)) return mcse;
    worst = std::max(worst, mcse);
  }
  return worst;
}

}  // namespace

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

ParameterSummary summarize(const Draws& draws, bool coupled) {
  ParameterSummary result;
  const bool finite = usable(draws);
  result.mean = mean(draws.values);
  result.sd = std::sqrt(variance(draws.values));
  result.mcse = coupled ? worst_chain_mcse(draws) : mcse_mean(draws);
  result.q5 = result.q50 = result.q95 = result.rhat = result.ess_bulk = result.ess_tail = kNaN;
  if (std::isnan(result.mean)) return result;
  const std::vector<double> sorted = sorted_copy(draws.values);
  result.q5 = sorted_quantile(sorted, 0.05);
  result.q50 = sorted_quantile(sorted, 0.50);
  result.q95 = sorted_quantile(sorted, 0.95);
  if (!finite) return result;
  const SplitChains scores = rank_normalise(split(draws));
  result.rhat = rhat_of(draws, scores, sorted);
  result.ess_bulk = basic_ess(scores);
  result.ess_tail = tail_ess_of(draws, sorted);
  return result;
}

}  // namespace pollen::stats
