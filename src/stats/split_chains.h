// Chains cut in halves, and the two basic estimates on them (Vehtari et al. 2021, sections 3 and 4). Pure.
#pragma once

#include <span>
#include <vector>

#include "pollen/stats.h"

namespace pollen::stats {

struct SplitChains {
  std::vector<double> values;  // chains * length, chain-major
  std::size_t chains = 0;
  std::size_t length = 0;
  std::span<const double> chain(std::size_t c) const { return std::span(values).subspan(c * length, length); }
};

// Each chain becomes its first and its last ⌊length/2⌋ draws; the middle draw of an odd length is dropped.
SplitChains split(const Draws& draws);

// Draws replaced by normal scores of their ranks over all chains: Φ⁻¹((rank - 3/8) / (S + 1/4)).
SplitChains rank_normalise(const SplitChains& x);

// Both are NaN where a value is not finite or all are equal to 2^-52.
double basic_rhat(const SplitChains& x);
double basic_ess(
    const SplitChains& x);  // Geyer's initial monotone sequence; at most S log10 S; NaN below 3 draws a half

// Not finite somewhere, or the range is below 2^-52: nothing can be estimated.
bool degenerate(std::span<const double> x);

}  // namespace pollen::stats
