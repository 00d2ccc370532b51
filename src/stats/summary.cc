// One row of a summary table.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rank_diagnostics.h"
#include "ranks.h"

namespace pollen::stats {
namespace {

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

ParameterSummary summarize(const Draws& draws, bool coupled) {
  ParameterSummary result;
  const bool finite = usable(draws);
  result.mean = mean(draws.values);
  result.sd = std::sqrt(variance(draws.values));
  result.mcse = coupled ? worst_chain_mcse(draws) : mcse_mean(draws);
  result.q5 = result.q50 = result.q95 = result.rhat = result.ess_bulk = result.ess_tail =
      std::numeric_limits<double>::quiet_NaN();
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
