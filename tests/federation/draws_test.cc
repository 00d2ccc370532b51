// Tests --share-draws as clients see it: which draws a server may send, and which messages clients refuse.
#include <gtest/gtest.h>

#include <limits>

#include "world.h"

namespace pollen {
namespace {

const char* kProblem = R"(
seed = 3
[model]
kind = "gaussian"
prior = "flat"
[[client]]
mean = [1.0, -2.0]
precision = [[2.0, 0.3], [0.3, 1.0]]
[[client]]
mean = [0.0, 4.0]
precision = [[1.0, 0.0], [0.0, 5.0]]
[sampler]
name = "lsd"
step = 0.01
[run]
iterations = 10
burn_in = 0
chains = 2
)";

wire::Draws draws(std::uint32_t chain, std::uint64_t first, Index count, Index dimension = 2) {
  wire::Draws message{chain, first, Panel(dimension, count)};
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < dimension; ++j)
      message.positions.column(i)[static_cast<std::size_t>(j)] =
          static_cast<double>(100 * chain + 10 * (first + static_cast<std::uint64_t>(i))) + static_cast<double>(j);
  return message;
}

class SharedDraws : public ::testing::Test {
 protected:
  // Returns what ended each client after the server sent these messages following its last round.
  std::vector<std::string> share(const std::vector<wire::Draws>& messages) {
    testing::World world(kProblem, {}, {}, folder_);
    world.before_end = [&](ConnectionRegistry& registry) {
      for (const wire::Draws& message : messages)
        for (std::uint32_t client = 0; client < 2; ++client)
          registry.send(client, std::vector<Frame>{std::make_shared<const Bytes>(wire::encode(message))});
    };
    taken_.assign(2, {});
    world.shared = [&](std::size_t client, const wire::Draws& message) { taken_[client].push_back(message); };
    run_federation(world);
    return world.ended;
  }

  void expect_refused(const std::vector<wire::Draws>& messages, const std::string& why) {
    const auto ended = share(messages);
    ASSERT_EQ(ended.size(), 2u);
    for (const std::string& text : ended) EXPECT_NE(text.find(why), std::string::npos) << text;
  }

  testing::Folder at_;
  const std::string folder_ = at_.path();
  std::vector<std::vector<wire::Draws>> taken_;
};

TEST_F(SharedDraws, ReachEveryClientInOrder) {
  EXPECT_EQ(share({draws(0, 0, 4), draws(1, 0, 4), draws(0, 4, 3), draws(1, 4, 3)}),
            (std::vector<std::string>{"done", "done"}));
  for (const auto& messages : taken_) {
    ASSERT_EQ(messages.size(), 4u);
    EXPECT_EQ(messages[3].chain, 1u);
    EXPECT_EQ(messages[3].positions.column(2)[1], 100 + 60 + 1);
  }
}

TEST_F(SharedDraws, AServerThatWasStartedAgainBeginsAgain) {
  EXPECT_EQ(share({draws(0, 0, 4), draws(1, 0, 4), draws(0, 4, 3), draws(0, 0, 2), draws(1, 0, 2)}),
            (std::vector<std::string>{"done", "done"}));
}

TEST_F(SharedDraws, NoMoreAreTakenThanTheRunCanHaveKept) {
  expect_refused({draws(0, 0, 11)}, "found 11 draws");
  EXPECT_TRUE(taken_[0].empty());
  expect_refused({draws(0, 0, 6), draws(1, 0, 6), draws(0, 6, 6)}, "of chain 0 from number 6 on; accepted");
}

TEST_F(SharedDraws, OthersThanThoseThatFollowAreRefused) {
  expect_refused({draws(1, 0, 4)}, "of chain 1 from number 0 on; accepted");
  expect_refused({draws(0, 1, 4)}, "of chain 0 from number 1 on; accepted");
  expect_refused({draws(0, 0, 4), draws(1, 0, 3)}, "found 3 draws");
  expect_refused({draws(0, 0, 4), draws(2, 0, 4)}, "of chain 2 from number 0 on; accepted");
  expect_refused({draws(0, 0, 4, 3)}, "of 3 numbers");
  expect_refused({draws(0, 0, 0)}, "found 0 draws");
  expect_refused({draws(0, std::numeric_limits<std::uint64_t>::max(), 1)}, "from number 18446744073709551615 on");
}

TEST_F(SharedDraws, WhatIsNoNumberIsRefused) {
  wire::Draws message = draws(0, 0, 2);
  message.positions.column(1)[0] = std::numeric_limits<double>::quiet_NaN();
  expect_refused({message}, "draws: found nan");
}

}  // namespace
}  // namespace pollen
