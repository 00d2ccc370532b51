// Tests what the sampling thread hands to a dashboard.
#include "sink/live_feed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/problems.h"

namespace pollen::sink {
namespace {

using Phase = LiveState::Phase;

class LiveFeedTest : public ::testing::Test {
 protected:
  explicit LiveFeedTest(Overrides overrides = {}) : experiment_(config(std::move(overrides))) {
    experiment_.prepare();
    feed_.begin(experiment_);
    feed_.take(state_);
  }
  static Config config(Overrides overrides) {
    overrides.insert(overrides.begin(), {"run.iterations=1000", "run.chains=2"});
    return read_config_text(testing::kLogistic, "test.toml", overrides);
  }
  // Returns a draw in which every number tells where it is from.
  Panel draw(std::int64_t i) const {
    Panel position(experiment_.dimension(), 2);
    for (Index c = 0; c < 2; ++c)
      for (std::size_t j = 0; j < position.column(c).size(); ++j)
        position.column(c)[j] = static_cast<double>(i) + 0.1 * static_cast<double>(c) + 0.001 * static_cast<double>(j);
    return position;
  }
  void look(std::int64_t iteration) { feed_.looked({iteration, iteration, 1.5, 1.02, Counters()}); }

  Experiment experiment_;
  LiveFeed feed_;
  LiveState state_;
};

TEST_F(LiveFeedTest, KnowsTheRunBeforeItBegins) {
  ASSERT_NE(feed_.plan(), nullptr);
  EXPECT_EQ(feed_.plan()->facts.iterations, 1000);
  EXPECT_EQ(std::ssize(feed_.plan()->parameters), experiment_.dimension());
  EXPECT_EQ(state_.phase, Phase::sampling);
  EXPECT_EQ(state_.clients.in_all, experiment_.clients());
  ASSERT_EQ(std::ssize(state_.clients.shown), experiment_.clients());
  EXPECT_GT(state_.clients.shown[0].rows, 0);
}

TEST_F(LiveFeedTest, DrawsAreThereParameterByParameter) {
  for (int i = 0; i < 10; ++i) feed_.kept(draw(i));
  look(1000);
  ASSERT_TRUE(feed_.take(state_));
  ASSERT_EQ(state_.trace.rows(), 10u);
  EXPECT_EQ(state_.trace.row(3)[2 * 2 + 1], 3 + 0.1 + 0.001 * 2);
  EXPECT_EQ(state_.draws, 1000);
  EXPECT_EQ(state_.rhat, 1.02);
  EXPECT_FALSE(feed_.take(state_)) << "taken already";
}

// After a million rounds with draws, rows of metrics and looks, what is handed over is as large as before.
TEST_F(LiveFeedTest, IsAsLargeAfterAMillionRounds) {
  const Panel position = draw(1);
  const ClientTraffic loads[] = {{0, 100, 1, 10}, {3, 100, 1, 10}};
  const Scores scores = {{"accuracy", 0.5}};
  std::size_t most_rows = 0, most_metrics = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    feed_.exchanged(loads);
    feed_.kept(position);
    if (i % 10 == 0) feed_.scored(i, Counters(), 1, scores);
    if (i % 50'000 != 0) continue;
    look(1000);  // the last iteration is handed over at once
    ASSERT_TRUE(feed_.take(state_));
    most_rows = std::max(most_rows, state_.trace.rows());
    most_metrics = std::max(most_metrics, state_.metrics.rows());
  }
  EXPECT_LE(most_rows, 2000u);
  EXPECT_LE(most_metrics, 500u);
  EXPECT_EQ(state_.clients.shown[3].turns, 950'001);
  EXPECT_EQ(state_.clients.shown[3].up_bits, 9'500'010);
  EXPECT_EQ(state_.clients.shown[3].last_round, 950'000);
  EXPECT_EQ(state_.clients.shown[1].turns, 0);
  EXPECT_EQ(state_.clients.heard, 2);
  EXPECT_EQ(state_.clients.participants, 2);
}

// A run that is stopped ends before its last iteration; the page must not miss its last rounds.
TEST_F(LiveFeedTest, TheLastLookIsHandedOverAtOnce) {
  Counters counters;
  feed_.looked({10, 10, 1, 1.02, counters});
  feed_.take(state_);
  counters.rounds = 500;
  feed_.looked({500, 400, 1, 1.02, counters, true});
  ASSERT_TRUE(feed_.take(state_));
  EXPECT_EQ(state_.counters.rounds, 500);
  EXPECT_EQ(state_.draws, 400);
}

class ManyClients : public LiveFeedTest {
 protected:
  ManyClients() : LiveFeedTest({"data.source=synthetic-logistic", "data.clients=1003", "data.dimension=70"}) {}
};

TEST_F(ManyClients, AreShownEvenlyAndCountedAll) {
  const std::vector<Index> which = evenly(1003, kLiveClients);
  ASSERT_EQ(which.size(), 200u);
  EXPECT_EQ(std::ssize(feed_.plan()->parameters), kLiveParameters);
  std::vector<ClientTraffic> everybody;
  for (std::uint32_t i = 0; i < 1003; ++i) everybody.push_back({i, 8, 1, 80 * (i + 1)});
  feed_.exchanged(everybody);
  look(1000);
  ASSERT_TRUE(feed_.take(state_));
  ASSERT_EQ(state_.clients.shown.size(), 200u);
  for (std::size_t k = 0; k < which.size(); ++k) {
    EXPECT_EQ(state_.clients.shown[k].turns, 1) << k;
    EXPECT_EQ(state_.clients.shown[k].up_bits, 80 * (which[k] + 1)) << k;
    EXPECT_EQ(state_.clients.shown[k].name, std::to_string(which[k] + 1));
  }
  EXPECT_EQ(state_.clients.heard, 1003);
}

// The thread sanitizer checks this test; what is taken must be of one moment.
TEST_F(LiveFeedTest, TwoThreadsSeeWholeStates) {
  std::atomic<bool> over = false;
  int torn = 0, seen = 0;
  std::thread other([&] {
    LiveState state;
    while (!over) {
      if (!feed_.take(state)) continue;
      ++seen;
      const std::size_t rows = state.trace.rows();
      if (rows > 0 && state.trace.row(rows - 1)[0] + 0.1 != state.trace.row(rows - 1)[1]) ++torn;
      if (state.draws != state.iteration) ++torn;
    }
  });
  for (std::int64_t i = 0; i < 20'000; ++i) {
    feed_.kept(draw(i));
    look(1000 + i);  // past the end, so it is handed over every time
  }
  over = true;
  other.join();
  EXPECT_EQ(torn, 0);
  EXPECT_GT(seen, 0);
}

TEST(Evenly, TakesAllOrSpreadsThem) {
  EXPECT_EQ(evenly(3, 5), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(evenly(10, 5), (std::vector<Index>{0, 2, 4, 6, 8}));
  EXPECT_TRUE(evenly(0, 5).empty());
}

}  // namespace
}  // namespace pollen::sink
