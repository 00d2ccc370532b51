// Tests histories of constant size.
#include <gtest/gtest.h>

#include "sink/live_feed.h"

namespace pollen::sink {
namespace {

TEST(History, KeepsAllUntilItIsFull) {
  History history(2, 8);
  for (int i = 0; i < 8; ++i) {
    const auto row = history.offer();
    ASSERT_EQ(row.size(), 2u);
    row[0] = i;
    row[1] = -i;
  }
  EXPECT_EQ(history.rows(), 8u);
  EXPECT_EQ(history.every(), 1);
  EXPECT_EQ(history.row(5)[0], 5);
  EXPECT_EQ(history.row(5)[1], -5);
}

// Over a million rows the history never exceeds its size, is evenly spaced from the first row on, and is at least half
// full.
TEST(History, StaysAsLargeAsItIs) {
  for (const std::size_t most : {std::size_t{2}, std::size_t{7}, std::size_t{64}, std::size_t{500}}) {
    History history(1, most);
    const double* memory = history.row(0).data();
    for (int i = 0; i < 1'000'000; ++i) {
      if (const auto row = history.offer(); !row.empty()) row[0] = i;
      if (i % 9973 != 0) continue;
      ASSERT_LE(history.rows(), most + most % 2);
      ASSERT_EQ(history.row(0).data(), memory);
      for (std::size_t k = 0; k < history.rows(); ++k)
        ASSERT_EQ(history.row(k)[0], static_cast<double>(k) * static_cast<double>(history.every()));
      ASSERT_GT(static_cast<double>(history.rows() * static_cast<std::size_t>(history.every())), i * 0.999);
    }
    EXPECT_GE(2 * history.rows(), most);
    EXPECT_EQ(history.offered(), 1'000'000);
  }
}

TEST(History, WithoutColumnsTakesNothing) {
  History history(0, 100);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(history.offer().empty());
  EXPECT_EQ(history.rows(), 0u);
}

}  // namespace
}  // namespace pollen::sink
