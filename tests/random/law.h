// Pearson's chi-square test, for the tests of laws.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace pollen::test {

// Returns the statistic as a standard normal (Wilson and Hilferty), so that one limit serves every number of cells.
inline double chi_square_z(const std::vector<double>& observed, const std::vector<double>& expected) {
  double statistic = 0.0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double gap = observed[i] - expected[i];
    statistic += gap * gap / expected[i];
  }
  const double freedom = static_cast<double>(observed.size() - 1);
  const double variance = 2.0 / (9.0 * freedom);
  return (std::cbrt(statistic / freedom) - (1.0 - variance)) / std::sqrt(variance);
}

inline double chi_square_z(const std::vector<double>& observed) {
  double total = 0.0;
  for (const double count : observed) total += count;
  return chi_square_z(observed, std::vector<double>(observed.size(), total / static_cast<double>(observed.size())));
}

}  // namespace pollen::test
