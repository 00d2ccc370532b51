// Laws of every partitioner: each row appears exactly once, no client is empty, sizes are right, and the same seed
// gives the same split.
#include "data/partition.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "files.h"

namespace pollen::data {
namespace {

std::vector<std::uint32_t> labels_of(std::size_t rows, std::uint32_t classes) {
  std::vector<std::uint32_t> labels(rows);
  for (std::size_t r = 0; r < rows; ++r) labels[r] = static_cast<std::uint32_t>(r * 7919 / 3) % classes;
  return labels;
}

void expect_partition(const std::vector<Rows>& clients, std::size_t rows) {
  std::vector<int> times(rows);
  for (const Rows& client : clients) {
    EXPECT_FALSE(client.empty());
    EXPECT_TRUE(std::is_sorted(client.begin(), client.end()));
    for (const std::uint32_t r : client) ++times.at(r);
  }
  EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

TEST(Iid, SizesDifferByAtMostOne) {
  for (const std::uint32_t clients : {1u, 3u, 10u, 103u}) {
    const std::vector<Rows> split = split_iid(103, clients, 4);
    expect_partition(split, 103);
    for (const Rows& rows : split) EXPECT_LE(rows.size() - 103 / clients, 1u);
  }
}

TEST(Dirichlet, EveryRowOnceAtEveryAlpha) {
  const std::vector<std::uint32_t> labels = labels_of(2000, 10);
  for (const double alpha : {1e-3, 0.05, 0.5, 1.0, 100.0})
    expect_partition(split_dirichlet(labels, {20, alpha, 100}, 9).clients, 2000);
}

TEST(Dirichlet, LargeAlphaIsEvenAndSmallAlphaIsNot) {
  const std::vector<std::uint32_t> labels = labels_of(10000, 2);
  const auto largest = [&](double alpha) {
    const DirichletSplit split = split_dirichlet(labels, {10, alpha, 100}, 2);
    std::size_t most = 0;
    for (const Rows& rows : split.clients) most = std::max(most, rows.size());
    return most;
  };
  EXPECT_LT(largest(1e5), 1050u);
  EXPECT_GT(largest(0.1), 2500u);
}

TEST(Dirichlet, RedrawsThenMovesRows) {
  const std::vector<std::uint32_t> labels = labels_of(60, 2);
  const DirichletSplit redrawn = split_dirichlet(labels, {8, 1.0, 100}, 3);
  const DirichletSplit moved = split_dirichlet(labels, {60, 0.5, 100}, 3);
  expect_partition(redrawn.clients, 60);
  EXPECT_EQ(redrawn.moved, 0u);
  expect_partition(moved.clients, 60);
  EXPECT_EQ(moved.redraws, 100);
  EXPECT_GT(moved.moved, 0u);
  for (const Rows& rows : moved.clients) EXPECT_EQ(rows.size(), 1u);
}

TEST(Dirichlet, RedrawIsANewAddress) {
  const std::vector<std::uint32_t> labels = labels_of(40, 2);
  std::uint64_t seed = 0;
  while (split_dirichlet(labels, {8, 1.0, 100}, seed).redraws == 0) ++seed;
  const DirichletSplit first = split_dirichlet(labels, {8, 1.0, 0}, seed);
  EXPECT_GT(first.moved, 0u);
  EXPECT_NE(first.clients, split_dirichlet(labels, {8, 1.0, 100}, seed).clients);
}

TEST(LabelShards, ClientsSeeFewLabels) {
  const std::vector<std::uint32_t> labels = labels_of(1000, 10);
  const std::vector<Rows> split = split_shards(labels, 50, 2, 1);
  expect_partition(split, 1000);
  for (const Rows& rows : split) {
    std::set<std::uint32_t> seen;
    for (const std::uint32_t r : rows) seen.insert(labels[r]);
    EXPECT_EQ(rows.size(), 20u);
    EXPECT_LE(seen.size(), 4u);  // two shards of ten rows, each across at most one border
  }
}

TEST(Partitions, SameSeedSameSplitOtherSeedOther) {
  const std::vector<std::uint32_t> labels = labels_of(500, 5);
  EXPECT_EQ(split_iid(500, 7, 1), split_iid(500, 7, 1));
  EXPECT_NE(split_iid(500, 7, 1), split_iid(500, 7, 2));
  EXPECT_EQ(split_shards(labels, 5, 3, 1), split_shards(labels, 5, 3, 1));
  EXPECT_NE(split_shards(labels, 5, 3, 1), split_shards(labels, 5, 3, 2));
  EXPECT_EQ(split_dirichlet(labels, {}, 1).clients, split_dirichlet(labels, {}, 1).clients);
  EXPECT_NE(split_dirichlet(labels, {}, 1).clients, split_dirichlet(labels, {}, 2).clients);
}

// The numbers are stored here, because a change of the addresses would change every experiment.
TEST(Partitions, KnownSplit) {
  const std::vector<Rows> split = split_iid(12, 3, 1);
  std::vector<std::uint32_t> all;
  for (const Rows& rows : split) all.insert(all.end(), rows.begin(), rows.end());
  EXPECT_THAT(all, ::testing::ElementsAre(1, 4, 6, 9, 2, 7, 8, 11, 0, 3, 5, 10));
}

}  // namespace
}  // namespace pollen::data
