// Counted bits and gradients are those that were sent and evaluated.
#include <gtest/gtest.h>

#include "support/problems.h"

namespace pollen {
namespace {

using testing::kGaussian;
using testing::sample;

constexpr std::int64_t kWord = 64, kD = 2, kB = 3, kR = 3, kRounds = 100;
const Overrides kShort = {"run.iterations=100"};

Overrides with(std::initializer_list<std::string> more) {
  Overrides all = kShort;
  all.insert(all.end(), more);
  return all;
}

TEST(Counting, Identity) {
  const Counters c = sample(kGaussian, kShort).counters;
  EXPECT_EQ(c.rounds, kRounds);
  EXPECT_EQ(c.messages, kRounds * kB * kR);
  EXPECT_EQ(c.uplink_bits, kRounds * kB * kR * kD * kWord);
  EXPECT_EQ(c.downlink_bits, kRounds * kB * kR * kD * kWord);
  EXPECT_EQ(c.broadcast_bits, kRounds * kR * kD * kWord);
  EXPECT_EQ(c.gradients, kRounds * kB * kR);
  EXPECT_EQ(c.setup_bits, 0);
  const Counters half = sample(kGaussian, with({"sampler.bits=32"})).counters;
  EXPECT_EQ(half.uplink_bits, c.uplink_bits / 2);
  EXPECT_EQ(half.downlink_bits, c.downlink_bits);
}

TEST(Counting, PartialParticipationPaysForThosePresent) {
  const Counters c = sample(kGaussian, with({"participation.policy=fixed-size", "participation.size=2"})).counters;
  EXPECT_EQ(c.messages, kRounds * 2 * kR);
  EXPECT_EQ(c.downlink_bits, kRounds * 2 * kR * kD * kWord);
  EXPECT_EQ(c.broadcast_bits, kRounds * kR * kD * kWord);
}

// One client is active at a time, and ζ changes every 10 rounds. A client that was absent at the refresh is sent ζ
// once, when it is next active.
TEST(Counting, AnchorsAreSentToThoseWhoMissedThem) {
  const std::string problem = R"(
seed = 3
[model]
kind = "gaussian"
prior = "flat"
[[client]]
data = [[1.0], [2.0], [3.0]]
[[client]]
data = [[0.0], [2.0], [5.0]]
[run]
iterations = 1000
burn_in = 0
chains = 1
[sampler]
name = "lsd++"
batch = 1
refresh = 10
step = 0.01
[participation]
policy = "fixed-size"
size = 1
)";
  const Counters c = sample(problem).counters;
  // In a cycle of ten rounds the other client is active with probability 1 - 2^-9, and then needs ζ.
  EXPECT_GE(c.downlink_bits, (1000 + 90) * kWord);
  EXPECT_LE(c.downlink_bits, (1000 + 100) * kWord);
  EXPECT_EQ(c.downlink_bits, c.broadcast_bits);
}

// A client whose batch is all its rows computes its gradient without an anchor, so none is sent, however the batch is
// given. The other client, of three rows, still needs its own.
TEST(Counting, AnchorsThatNobodyUsesAreNotSent) {
  const auto bits = [](const std::string& batch) {
    const std::string problem = R"(
[model]
kind = "gaussian"
prior = "flat"
[[client]]
data = [[1.0], [2.0]]
[[client]]
data = [[0.0], [2.0], [5.0]]
[run]
iterations = 1000
burn_in = 0
chains = 1
[sampler]
name = "qlsd++"
refresh = 10
step = 0.01
[participation]
policy = "fixed-size"
size = 1
)";
    return sample(problem, {"sampler.batch=" + batch}).counters.downlink_bits;
  };
  EXPECT_EQ(bits("1.0"), 1000 * kWord);
  EXPECT_EQ(bits("3"), 1000 * kWord);
  EXPECT_GT(bits("2"), 1000 * kWord);
  EXPECT_LT(bits("2"), (1000 + 75) * kWord);  // about 50 of the 100 refreshes miss the second client
  EXPECT_GT(bits("1"), (1000 + 85) * kWord);
}

TEST(Counting, ErrorFeedbackStartsWhole) {
  const Counters one = sample(kGaussian, {"run.iterations=1", "sampler.name=b-elf", "sampler.k=1"}).counters;
  EXPECT_EQ(one.uplink_bits, kB * kR * kD * kWord);
  EXPECT_EQ(one.downlink_bits, kB * kR * kD * kWord);
  EXPECT_EQ(one.setup_bits, 0);
  const Counters two = sample(kGaussian, {"run.iterations=2", "sampler.name=b-elf", "sampler.k=1"}).counters;
  EXPECT_LT(two.uplink_bits - one.uplink_bits, one.uplink_bits);
  EXPECT_LT(two.downlink_bits - one.downlink_bits, one.downlink_bits);
}

TEST(Counting, AClientThatMissedAChangeIsSentWWhole) {
  const Counters c = sample(kGaussian, with({"sampler.name=p-elf", "sampler.k=1", "participation.policy=bernoulli",
                                             "participation.probability=0.5"}))
                         .counters;
  const Counters full = sample(kGaussian, with({"sampler.name=p-elf", "sampler.k=1"})).counters;
  EXPECT_GT(c.broadcast_bits, full.broadcast_bits);
}

TEST(Counting, ModeFindingIsSetUp) {
  const Counters c = sample(kGaussian, with({"sampler.name=lsd*"})).counters;
  EXPECT_GT(c.setup_bits, 0);
  EXPECT_EQ(c.setup_bits % (kB * (2 * kD * kWord + kWord)), 0);
  EXPECT_EQ(c.uplink_bits, kRounds * kB * kR * kD * kWord);
}

}  // namespace
}  // namespace pollen
