// Compares the bound with what minibatches really reveal. Every minibatch of a small data set is written out, and the
// two mixtures of Gaussians are integrated.
#include <gtest/gtest.h>

#include <cmath>

#include "inputs.h"
#include "quadrature.h"

namespace pollen {
namespace {

// Returns the sums over all subsets of `size` rows, times `scale`.
std::vector<double> subset_sums(const std::vector<double>& rows, int size, double scale) {
  std::vector<double> sums;
  for (unsigned mask = 0; mask < 1u << rows.size(); ++mask) {
    if (__builtin_popcount(mask) != size) continue;
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (mask >> i & 1) sum += rows[i];
    sums.push_back(scale * sum);
  }
  return sums;
}

// Rows are within ±1/2 (so two are at most 1 apart), scaled by `ratio` over unit noise. One row is replaced, in both
// directions.
TEST(SubsampledRenyi, CoversEveryMinibatch) {
  const std::vector<std::vector<double>> others{{0, 0, 0, 0}, {-.5, -.5, -.5, -.5}, {-.5, .5, -.2, .3}};
  for (const auto& rest : others)
    for (const int size : {1, 2, 4})
      for (const double ratio : {0.3, 1.0, 2.0})
        for (const int order : {2, 3, 5}) {
          std::vector<double> before = rest, after = rest;
          before.push_back(0.5);
          after.push_back(-0.5);
          const double bound = subsampled_renyi(order, ratio, size / 5.0);
          const auto p = subset_sums(before, size, ratio), q = subset_sums(after, size, ratio);
          EXPECT_GE(bound, mixture_renyi(order, p, q));
          EXPECT_GE(bound, mixture_renyi(order, q, p));
        }
}

// Checks the quadrature itself: P = (1-γ) N(0) + γ N(r), Q = N(0) has E (p/q)^α = Σ_j C(α,j) (1-γ)^{α-j} γ^j
// e^{j(j-1)r²/2}.
TEST(SubsampledRenyi, CoversAndStaysNearTheKnownMixture) {
  const double r = 0.8;
  std::vector<double> p(20, 0.0), q(20, 0.0);
  p[0] = r;
  for (const int order : {2, 3, 4, 8}) {
    double sum = 0, choose = 1;
    for (int j = 0; j <= order; ++j) {
      sum += choose * std::pow(0.95, order - j) * std::pow(0.05, j) * std::exp(j * (j - 1) * r * r / 2);
      choose *= (order - j) / (j + 1.0);
    }
    const double exact = std::log(sum) / (order - 1), bound = subsampled_renyi(order, r, 0.05);
    EXPECT_NEAR(mixture_renyi(order, p, q), exact, 1e-9);
    EXPECT_GE(bound, exact);
    EXPECT_LE(bound, 8 * exact);  // a bound for any mechanism loses a factor of about 4, but none of γ
  }
}

}  // namespace
}  // namespace pollen
