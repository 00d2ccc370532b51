// Quantiles of mixtures in equal parts: what a posterior predictive of numbers is, one component a draw. Computed from
// the distribution functions, without random numbers. Pure functions.
#pragma once

#include <span>

namespace pollen::stats {

// Of N(mean_s, sd_s²), to about 1e-9 of the spread. A component with sd 0 is a point.
double normal_mixture_quantile(std::span<const double> mean, std::span<const double> sd, double p);

// Of Poisson(rate_s): the smallest count whose distribution function is at least p. Rates above 10,000 are taken as
// normal; NaN where one is not finite.
double poisson_mixture_quantile(std::span<const double> rate, double p);

}  // namespace pollen::stats
