#include "transport/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace pollen {
namespace {

TEST(ThreadTeam, DoesEveryItemOnceManyTimesOver) {
  ThreadTeam team(4);
  std::vector<std::atomic<int>> done(37);
  for (int turn = 0; turn < 500; ++turn)
    team.run(37, [&](Index item, int member) {
      EXPECT_LT(member, 4);
      ++done[static_cast<std::size_t>(item)];
    });
  for (const auto& count : done) EXPECT_EQ(count, 500);
}

TEST(ThreadTeam, RethrowsAndGoesOn) {
  ThreadTeam team(3);
  for (int turn = 0; turn < 20; ++turn)
    EXPECT_THROW(team.run(50,
                          [](Index item, int) {
                            if (item == 17) throw std::runtime_error("seventeen");
                          }),
                 std::runtime_error);
  std::atomic<int> sum{0};
  team.run(10, [&](Index, int) { ++sum; });
  EXPECT_EQ(sum, 10);
}

}  // namespace
}  // namespace pollen
