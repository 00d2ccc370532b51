#include "stats/directions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "series.h"

namespace pollen::stats {
namespace {

// Two slow parameters that are nearly equal have one slow direction, their sum, and one fast one, their difference.
TEST(Directions, SeparateWhatSingleParametersMix) {
  const std::vector<double> slow = autoregression(0.95, 4, 2000, 3), fast = autoregression(0, 4, 2000, 4);
  std::vector<std::vector<double>> values(2, slow);
  for (std::size_t i = 0; i < slow.size(); ++i)
    values[0][i] += 0.05 * fast[i], values[1][i] = 7 * (slow[i] - 0.05 * fast[i]);
  EXPECT_LT(ess_bulk({values[0], 4}), 500);
  EXPECT_LT(ess_bulk({values[1], 4}), 500);
  const std::vector<Direction> found = principal_directions(values, 4);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].variance + found[1].variance, 2, 1e-9);
  EXPECT_GT(found[0].ess, 6000);  // the difference; 8000 independent draws
  EXPECT_LT(found[1].ess, 500);
  EXPECT_NEAR(std::abs(found[1].loading[0]), std::sqrt(0.5), 1e-6);
  EXPECT_GT(found[1].loading[0] * found[1].loading[1], 0);
  EXPECT_LT(found[0].loading[0] * found[0].loading[1], 0);
}

TEST(Directions, AreNotComputedWhereAParameterNeverMovesOrIsNotFinite) {
  EXPECT_TRUE(principal_directions({}, 1).empty());
  EXPECT_TRUE(principal_directions({{1, 2, 3, 4}, {5, 5, 5, 5}}, 1).empty());
  EXPECT_TRUE(principal_directions({{1, 2, 3, 4}, {5, NAN, 5, 6}}, 1).empty());
}

}  // namespace
}  // namespace pollen::stats
