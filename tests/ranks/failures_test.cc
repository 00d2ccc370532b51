// A failure on one rank is reported by rank 0 as if one process had all clients, and the other ranks end.
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "support/federated.h"
#include "world.h"

namespace pollen {
namespace {

using testing::RankWorld;

template <class Error>
std::string message(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing went wrong";
}

TEST(RankFailures, ANumericErrorNamesRoundAndClient) {
  std::string wild = testing::kGaussian;
  wild.replace(wild.find("mean = [-3.0, 0.5]"), 18, "mean = [1e308, 0.0]");
  wild.replace(wild.find("[[0.5, 0.1], [0.1, 0.7]]"), 24, "[[1e10, 0.0], [0.0, 1.0]]");
  const RankWorld world{wild, {"sampler.name=qlsd"}};  // the last client's gradient is not finite
  const std::string alone = message<NumericError>([&] { world.alone(10); });
  EXPECT_NE(alone.find("client 3"), std::string::npos) << alone;
  for (const int ranks : {2, 3, 5}) EXPECT_EQ(message<NumericError>([&] { world.over(ranks, 10); }), alone);
}

// Returns what rank 0 of three reports if the ranks read their configurations with `read`.
std::string told(const RankWorld& world, const std::function<Config(int rank)>& read) {
  testing::RankQueues queues(3);
  return message<ConfigError>([&] {
    queues.run(
        [&](Ranks& first) {
          ExperimentOptions options;
          options.ranks = &first;
          Experiment experiment(world.config(), options);
          return 0;
        },
        [&](Ranks& other) {
          serve_rank(
              other, [&] { return read(other.rank()); }, 1);
        });
  });
}

TEST(RankFailures, OfAnotherConfigurationIsRefused) {
  const std::string why = told({kFederated, {}}, [](int rank) {
    return read_config_text(kFederated, "test.toml", {fmt::format("seed={}", rank)});
  });
  EXPECT_NE(why.find("rank 1: found another configuration"), std::string::npos) << why;
}

TEST(RankFailures, AWrongConfigurationIsToldOnce) {
  const RankWorld world{kFederated, {"data.source=nothing.csv"}};
  const std::string alone = message<ConfigError>([&] { world.alone(10); });
  EXPECT_EQ(message<ConfigError>([&] { world.over(3, 10); }), alone);
}

TEST(RankFailures, WhatOneRankAloneCannotReadIsToldWithItsName) {
  const RankWorld world{kFederated, {}};
  const std::string why = told(world, [&](int rank) {
    if (rank == 2) throw ConfigError("a.toml", "found no such file");
    return world.config();
  });
  EXPECT_EQ(why, "rank 2: a.toml: found no such file");
}

}  // namespace
}  // namespace pollen
