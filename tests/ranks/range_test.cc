#include <gtest/gtest.h>

#include "ranks/ranks.h"
#include "round/block_sums.h"

namespace pollen {
namespace {

TEST(ClientRanges, AreConsecutiveAndEven) {
  for (const Index clients : {1, 2, 5, 31, 32, 33, 200, 2048, 100'000})
    for (const int size : {1, 2, 3, 5, 64, 100}) {
      Index next = 0, least = clients, most = 0;
      for (int r = 0; r < size; ++r) {
        const ClientRange range = client_range(r, size, clients, 100);
        EXPECT_EQ(range.first, next);
        next = range.last;
        least = std::min(least, range.size());
        most = std::max(most, range.size());
      }
      EXPECT_EQ(next, clients);
      EXPECT_LE(most - least, 1) << clients << " clients on " << size;
      EXPECT_GE(client_range(0, size, clients, 100).size(), 1);
    }
}

// Replies of a shared block are kept in memory. If that would take too much, no block is shared.
TEST(ClientRanges, LargeBlocksAreNotShared) {
  const Index clients = 1'000'000, block = block_size_for(clients);
  for (int r = 0; r < 5; ++r) {
    const ClientRange range = client_range(r, 5, clients, 10'000);
    EXPECT_EQ(range.first % block, 0);
    EXPECT_NEAR(static_cast<double>(range.size()), 200'000.0, static_cast<double>(block));
  }
}

}  // namespace
}  // namespace pollen
