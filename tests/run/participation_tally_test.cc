#include "run/participation_tally.h"

#include <gtest/gtest.h>

#include "run/experiment.h"

namespace pollen {
namespace {

Roster of(const std::vector<std::uint32_t>& clients, std::uint32_t chains) {
  Roster roster;
  for (const std::uint32_t client : clients) roster.clients.push_back({client, 0, chains});
  return roster;
}

TEST(ParticipationTally, CountsByGroupAndBin) {
  ParticipationTally tally(1000, 250);
  ASSERT_EQ(tally.groups(), 200);
  ASSERT_EQ(tally.bins(), 100);
  tally.add(1, of({0, 4, 5, 999}, 2));
  tally.add(250, of({4}, 3));
  EXPECT_EQ(tally.messages(0, 0), 4);  // clients 0 to 4
  EXPECT_EQ(tally.messages(1, 0), 2);
  EXPECT_EQ(tally.messages(199, 0), 2);
  EXPECT_EQ(tally.messages(0, 99), 3);
  EXPECT_EQ(tally.rounds(0), 1);
}

TEST(ParticipationTally, BinsEndWhereTheNextBegins) {
  for (const std::int64_t iterations : {1, 7, 100, 101, 250, 12345}) {
    ParticipationTally tally(2, iterations);
    for (std::int64_t i = 1; i <= iterations; ++i) tally.add(i, of({0}, 1));
    std::int64_t before = 0;
    for (Index b = 0; b < tally.bins(); ++b) {
      EXPECT_EQ(tally.rounds(b), tally.last_iteration(b) - before) << iterations << " " << b;
      before = tally.last_iteration(b);
    }
    EXPECT_EQ(before, iterations);
  }
}

TEST(ParticipationTally, OfAResumedRunIsThatOfOneThatNeverStopped) {
  const char* const text = R"(
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = 7
dimension = 3
[sampler]
name = "qlsd"
step = 0.001
[participation]
policy = "bernoulli"
probability = 0.5
[run]
iterations = 30
burn_in = 0
chains = 2
)";
  Sink sink;
  Experiment whole(read_config_text(text, "a.toml")), first(read_config_text(text, "a.toml")),
      second(read_config_text(text, "a.toml"));
  whole.prepare();
  whole.advance(30, sink);
  first.prepare();
  first.advance(11, sink);
  second.load(first.save());
  second.advance(19, sink);
  std::int64_t all = 0;
  for (Index b = 0; b < 30; ++b) {
    EXPECT_EQ(whole.participation().rounds(b), 1);
    for (Index g = 0; g < 7; ++g) {
      EXPECT_EQ(whole.participation().messages(g, b), second.participation().messages(g, b));
      all += whole.participation().messages(g, b);
    }
  }
  EXPECT_EQ(all, whole.counters().messages);
}

}  // namespace
}  // namespace pollen
