// Tests bits, rounds and gradients of local steps with two dimensions, three clients, three chains and a hundred
// iterations.
#include <gtest/gtest.h>

#include "support/problems.h"

namespace pollen {
namespace {

using testing::kGaussian;
using testing::sample;

constexpr std::int64_t kB = 3, kR = 3, kIterations = 100, kVector = 2 * 64;

Counters count(const Overrides& more) {
  Overrides all = {"run.iterations=100", "sampler.step=0.05"};
  all.insert(all.end(), more.begin(), more.end());
  return sample(kGaussian, all).counters;
}

TEST(LocalCounting, OneMessageARound) {
  for (const char* name : {"sampler.name=fald", "sampler.name=fa-ld"}) {
    const Counters c = count({name, "sampler.local_steps=5", "sampler.correlation=0.5"});
    EXPECT_EQ(c.rounds, 20);
    EXPECT_EQ(c.messages, 20 * kB * kR);
    EXPECT_EQ(c.uplink_bits, 20 * kB * kR * kVector);
    EXPECT_EQ(c.downlink_bits, 20 * kB * kR * kVector);
    EXPECT_EQ(c.broadcast_bits, 20 * kR * kVector);
    EXPECT_EQ(c.gradients, kIterations * kB * kR);
    EXPECT_EQ(c.setup_bits, 0);
  }
}

// The last segment is under way: its broadcast was received, but its messages were not sent.
TEST(LocalCounting, ALegUnderWay) {
  const Counters c = count({"sampler.name=fald", "sampler.local_steps=30"});
  EXPECT_EQ(c.rounds, 3);
  EXPECT_EQ(c.messages, 3 * kB * kR);
  EXPECT_EQ(c.downlink_bits, 4 * kB * kR * kVector);
  EXPECT_EQ(c.gradients, kIterations * kB * kR);
}

TEST(LocalCounting, EmittingEveryAverageCostsNoBits) {
  const Counters c = count({"sampler.name=fald", "sampler.local_steps=5", "sampler.emit=every"});
  EXPECT_EQ(c.uplink_bits, 20 * kB * kR * kVector);
  EXPECT_EQ(c.rounds, 20);
}

// With a refresh at every iteration, X^i goes up and Y down, then ∇U^i(Y) up and C down. A local step evaluates x and
// Y.
TEST(LocalCounting, ARefreshIsTwoExchanges) {
  const Counters c = count({"sampler.name=vr-fald*", "sampler.local_steps=5", "sampler.refresh_probability=1.0"});
  EXPECT_EQ(c.rounds, 20 + 2 * kIterations);
  EXPECT_EQ(c.messages, (20 + 2 * kIterations) * kB * kR);
  EXPECT_EQ(c.uplink_bits, (20 + 2 * kIterations) * kB * kR * kVector);
  EXPECT_EQ(c.downlink_bits, (20 + 2 * kIterations) * kB * kR * kVector);
  EXPECT_EQ(c.broadcast_bits, (20 + 2 * kIterations) * kR * kVector);
  EXPECT_EQ(c.gradients, 3 * kIterations * kB * kR);
  EXPECT_EQ(c.setup_bits, 3 * kB * kR * kVector);
}

TEST(LocalCounting, OnlyThoseDrawnStepAndSend) {
  const Counters two =
      count({"sampler.name=fa-ld", "sampler.local_steps=5", "sampler.scheme=II", "participation.size=2"});
  EXPECT_EQ(two.messages, 20 * 2 * kR);
  EXPECT_EQ(two.downlink_bits, 20 * 2 * kR * kVector);
  EXPECT_EQ(two.gradients, kIterations * 2 * kR);
  // A client that is drawn twice sends once. With three clients, two draws are the same in one of three cases.
  const Counters one =
      count({"sampler.name=fa-ld", "sampler.local_steps=1", "sampler.scheme=I", "participation.size=2"});
  EXPECT_NEAR(static_cast<double>(one.messages) / (kIterations * kR), 5.0 / 3, 0.12);
  EXPECT_EQ(one.gradients, one.messages);
}

TEST(LocalCounting, RandomGaps) {
  const Counters c = count({"sampler.name=fald", "sampler.communicate=0.25", "run.iterations=4000"});
  EXPECT_NEAR(static_cast<double>(c.rounds), 1000, 4 * 27.4);  // √(4000 · 0.25 · 0.75) = 27.4
  EXPECT_EQ(c.messages, c.rounds * kB * kR);
  EXPECT_EQ(c.gradients, 4000 * kB * kR);
}

TEST(LocalCounting, CompressedChanges) {
  const Counters whole = count({"sampler.name=fald", "sampler.local_steps=5"});
  const Counters half = count({"sampler.name=fald", "sampler.local_steps=5", "sampler.bits=32"});
  EXPECT_EQ(2 * half.uplink_bits, whole.uplink_bits);
  const Counters quantised = count({"sampler.name=fald", "sampler.local_steps=5", "sampler.compressor=qsgd"});
  EXPECT_LT(quantised.uplink_bits, whole.uplink_bits);
  EXPECT_EQ(quantised.downlink_bits, whole.downlink_bits);
}

}  // namespace
}  // namespace pollen
