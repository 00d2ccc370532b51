// Distribution functions, and quantiles of equally weighted mixtures. The posterior predictive of a numeric target is
// such a mixture, with one component per draw. The quantiles are computed from the distribution functions, without
// random numbers. All functions are pure.
#pragma once

#include <span>

namespace pollen::stats {

// The p-quantile of the mixture of N(mean_s, sd_s²), accurate to about 1e-9 of the spread. A component with sd 0 is a
// point mass.
double normal_mixture_quantile(std::span<const double> mean, std::span<const double> sd, double p);

// The p-quantile of the mixture of Poisson(rate_s): the smallest count whose distribution function is at least p. Rates
// above 10,000 are approximated by normal laws. Returns NaN if a rate is not finite.
double poisson_mixture_quantile(std::span<const double> rate, double p);

double normal_cdf(double x, double mean, double sd);  // P(Y ≤ x) for Y ~ N(mean, sd²)
// Writes P(Y ≤ at_k) for Y ~ Poisson(rate) and rising numbers at_k.
void poisson_cdfs(double rate, std::span<const double> at, std::span<double> out);

}  // namespace pollen::stats
