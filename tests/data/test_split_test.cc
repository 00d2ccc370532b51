#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/partition.h"

namespace pollen::data {
namespace {

Rows first_rows(std::uint32_t n) {
  Rows rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

TEST(TestSplit, TakesTheFloorAndKeepsATrainingRow) {
  for (const std::uint32_t n : {1u, 2u, 3u, 4u, 5u, 9u, 10u, 99u, 1000u})
    for (const double f : {0.0, 0.1, 0.2, 0.5, 0.9, 0.999}) {
      const Holdout holdout = hold_out({first_rows(n)}, {}, f, 1);
      EXPECT_EQ(holdout.test[0].size(), static_cast<std::size_t>(std::floor(f * n)));
      EXPECT_GE(holdout.train[0].size(), 1u);
      Rows all = holdout.train[0];
      all.insert(all.end(), holdout.test[0].begin(), holdout.test[0].end());
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, first_rows(n));
    }
}

TEST(TestSplit, EveryLabelGivesItsShareRoundedUpOrDown) {
  std::vector<std::uint32_t> labels(1000);
  for (std::uint32_t r = 0; r < 1000; ++r) labels[r] = r < 700 ? 0 : r < 937 ? 1 : r < 993 ? 2 : 3;
  const double sizes[4] = {700, 237, 56, 7};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Holdout holdout = hold_out({first_rows(1000)}, labels, 0.23, seed);
    double taken[4] = {};
    for (const std::uint32_t r : holdout.test[0]) taken[labels[r]] += 1.0;
    for (int c = 0; c < 4; ++c) {
      EXPECT_GE(taken[c], std::floor(0.23 * sizes[c]));
      EXPECT_LE(taken[c], std::ceil(0.23 * sizes[c]));
    }
  }
}

// In 4000 splits of 10 rows with 3 held out, each row's count is binomial(4000, 0.3) with sd 29.
TEST(TestSplit, EveryRowHasTheSameChance) {
  const std::vector<std::uint32_t> labels{0, 0, 0, 0, 0, 0, 1, 1, 1, 2};
  std::vector<int> times(10);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Holdout holdout = hold_out({first_rows(10)}, labels, 0.3, seed);
    for (const std::uint32_t r : holdout.test[0]) ++times[r];
  }
  for (const int n : times) EXPECT_NEAR(n, 1200, 5 * 29);
}

TEST(TestSplit, ClientsHaveTheirOwnDraws) {
  const Holdout holdout = hold_out({first_rows(100), first_rows(100)}, {}, 0.3, 1);
  EXPECT_NE(holdout.test[0], holdout.test[1]);
  EXPECT_EQ(holdout.test, hold_out({first_rows(100), first_rows(100)}, {}, 0.3, 1).test);
}

}  // namespace
}  // namespace pollen::data
