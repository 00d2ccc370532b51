// Mean, variance, average ranks and quantiles of plain vectors. The functions named sorted_* expect values in
// increasing order, except sorted_copy, which makes them so. All functions are pure.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace pollen::stats {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double mean(std::span<const double> x);      // NaN if empty; exact for constant x
double variance(std::span<const double> x);  // divisor n-1; NaN if n < 2

// Returns ranks from 1. Equal values share the average of their ranks.
std::vector<double> average_ranks(std::span<const double> x);

// Returns the inverse of the standard normal distribution function: -inf at 0, +inf at 1 and NaN outside [0, 1].
double normal_quantile(double p);

double sorted_quantile(std::span<const double> sorted, double p);  // type 7, R's default
std::vector<double> sorted_copy(std::span<const double> x);

}  // namespace pollen::stats
