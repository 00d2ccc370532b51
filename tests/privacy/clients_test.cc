#include <gtest/gtest.h>

#include "inputs.h"

namespace pollen {
namespace {

// With N = 100 the shares are 0.1, 0.3, 0.6. Batches of 5, 5 and all give rates 0.5, 1/6, 1 and γ²p = 0.025, 0.3/36 =
// 0.00833, 0.6.
TEST(PrivacyClients, ByHand) {
  const Index rows[] = {10, 30, 60}, batches[] = {5, 5, 1000};
  const PrivacyClients c = privacy_clients(rows, batches);
  EXPECT_EQ(c.count, 3);
  EXPECT_DOUBLE_EQ(c.min_share, 0.1);
  EXPECT_DOUBLE_EQ(c.max_share, 0.6);
  EXPECT_DOUBLE_EQ(c.min_rate_squared_share, 0.3 / 36);
  EXPECT_EQ(c.max_rate, 1);
  EXPECT_EQ(c.distinct.size(), 3u);
}

TEST(PrivacyClients, EqualOnesAreKeptOnce) {
  const std::vector<Index> rows(1000, 20), batches(1000, 2);
  const PrivacyClients c = privacy_clients(rows, batches);
  EXPECT_EQ(c.count, 1000);
  ASSERT_EQ(c.distinct.size(), 1u);
  EXPECT_EQ(c.distinct[0], (PrivacyClient{0.001, 0.1}));
}

TEST(PrivacyClients, NoneGiveNoNumber) {
  PrivacyInputs in = four_clients();
  in.clients = privacy_clients({}, {});
  EXPECT_FALSE(theorem_account(in, 1).epsilon);
}

}  // namespace
}  // namespace pollen
