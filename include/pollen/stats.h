// Diagnostics of draws: rank-normalised split R-hat, bulk and tail ESS, MCSE and quantiles, as defined by Vehtari,
// Gelman, Simpson, Carpenter and Bürkner (2021) and computed by R's posterior package. All functions are pure.
//
//   const stats::ParameterSummary s = stats::summarize({values, chains});   // s.mean, s.rhat, s.ess_bulk, ...
//
// Draws of one parameter: chains × draws, chain-major (draws of chain 0, then of chain 1, ...), chains of equal length.
#pragma once

#include <span>
#include <vector>

#include "pollen/types.h"

namespace pollen::stats {

struct Draws {
  std::span<const double> values;  // chains × length numbers
  Index chains = 1;
  Index length() const { return static_cast<Index>(values.size()) / chains; }
};

double rhat(const Draws& draws);  // max of rank-normalised split R-hat of the draws and of the folded draws
double ess_bulk(const Draws& draws);
double ess_tail(const Draws& draws);                        // min of the ESS of the 5% and 95% quantile indicators
double ess_mean(const Draws& draws);                        // split, not rank-normalised
double mcse_mean(const Draws& draws);                       // sd / sqrt(ess_mean)
double quantile(std::span<const double> values, double p);  // type 7, as R's default

struct ParameterSummary {
  double mean = 0, mcse = 0, sd = 0, q5 = 0, q50 = 0, q95 = 0, ess_bulk = 0, ess_tail = 0, rhat = 0;
};
// With `coupled`, the chains share their participants, so the MCSE is that of the least favourable single chain.
ParameterSummary summarize(const Draws& draws, bool coupled = false);

}  // namespace pollen::stats
