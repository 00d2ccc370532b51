// Chains cut in halves, and the two basic estimates on them (Vehtari et al. 2021, sections 3 and 4). All functions are
// pure.
#pragma once

#include <span>
#include <vector>

#include "pollen/stats.h"

namespace pollen::stats {

struct SplitChains {
  std::vector<double> values;  // chains * length numbers, chain after chain
  std::size_t chains = 0;
  std::size_t length = 0;
  std::span<const double> chain(std::size_t c) const { return std::span(values).subspan(c * length, length); }
};

// Replaces each chain by its first and its last ⌊length/2⌋ draws. The middle draw of an odd length is dropped.
SplitChains split(const Draws& draws);

// Replaces draws by the normal scores of their ranks over all chains: Φ⁻¹((rank - 3/8) / (S + 1/4)).
SplitChains rank_normalise(const SplitChains& x);

// Returns the mean over chains of their autocovariances (divisor n) at lags 0..n-1.
std::vector<double> mean_autocovariance(const SplitChains& x);

// Both estimates are NaN if `x` is degenerate. The ESS uses Geyer's initial monotone sequence and is at most S log10 S;
// it is NaN for halves of fewer than 3 draws.
double basic_rhat(const SplitChains& x);
double basic_ess(const SplitChains& x);

// Tells whether nothing can be estimated: a value is not finite, or the range is below 2^-52.
bool degenerate(std::span<const double> x);

}  // namespace pollen::stats
