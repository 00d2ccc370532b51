#include "sink/progress.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sink/running.h"
#include "sink/text.h"

namespace pollen::sink {
namespace {

ProgressOptions into(std::string& out, bool terminal) {
  ProgressOptions options;
  options.total = 1000;
  options.terminal = terminal;
  options.write = [&out](std::string_view text) { out += text; };
  return options;
}

RunProgress at(std::int64_t iteration, double seconds) { return {iteration, seconds, 1'000'000, 2'000'000, 1.0123}; }

TEST(Progress, TheBarFitsEveryTerminal) {
  std::string out;
  const Progress progress(into(out, true));
  for (const int width : {20, 40, 60, 80, 120, 200})
    for (const std::int64_t done : {0, 1, 333, 999, 1000})
      EXPECT_LT(display_width(progress.bar(at(done, 3), width)), static_cast<std::size_t>(width)) << width;
  EXPECT_NE(progress.bar(at(500, 3), 120).find("50%"), std::string::npos);
  EXPECT_NE(progress.bar(at(500, 3), 120).find("R-hat 1.012"), std::string::npos);
}

TEST(Progress, ATerminalIsUpdatedTenTimesASecond) {
  std::string out;
  Progress progress(into(out, true));
  for (int i = 0; i < 1000; ++i) progress.update(at(i, i * 0.001));
  EXPECT_LE(std::count(out.begin(), out.end(), '\r'), 11);
  EXPECT_GE(std::count(out.begin(), out.end(), '\r'), 9);
}

TEST(Progress, ElsewherePlainLinesAreFew) {
  std::string out;
  Progress progress(into(out, false));
  for (int i = 0; i < 1000; ++i) progress.update(at(i, i * 0.02));  // 20 s
  EXPECT_EQ(out.find('\r'), std::string::npos);
  const auto lines = std::count(out.begin(), out.end(), '\n');
  EXPECT_GE(lines, 9);
  EXPECT_LE(lines, 14);
  EXPECT_NE(out.find("worst R-hat"), std::string::npos);
}

TEST(Progress, CountsWhatItIsToldTo) {
  std::string out;
  ProgressOptions options = into(out, false);
  options.counted = options.unit = "steps";
  const Progress progress(options);
  const RunProgress half{500, 5, 0, 0, std::nan("")};
  EXPECT_EQ(progress.line(half), "pollen: 50%, 500 of 1000 steps, 100 per second, 5.00 s left");
  EXPECT_NE(progress.bar(half, 120).find("100 steps/s"), std::string::npos);
  EXPECT_EQ(progress.bar(half, 120).find("↑"), std::string::npos);
}

TEST(Progress, RoundsAndEssAreShownWhereTheyAreKnown) {
  std::string out;
  const Progress progress(into(out, false));
  RunProgress state = at(500, 5);
  EXPECT_EQ(progress.line(state).find("ESS"), std::string::npos);
  EXPECT_EQ(progress.line(state).find("rounds"), std::string::npos);
  state.ess = 1234.5;
  state.rounds = 50;
  EXPECT_EQ(progress.line(state),
            "pollen: 50%, 500 of 1000 iterations, 100 per second, 5.00 s left, 50 rounds, 1 Mbit up, 2 Mbit down, "
            "worst R-hat "
            "1.012, least ESS about 1.23k");
  EXPECT_NE(progress.bar(state, 160).find("50 rounds"), std::string::npos);
  EXPECT_NE(progress.bar(state, 160).find("ESS 1.23k"), std::string::npos);
}

TEST(Progress, QuietWritesNothing) {
  ProgressOptions options;
  options.total = 10;
  Progress progress(options);
  progress.update(at(5, 5));
  progress.finish(at(10, 10));
}

TEST(RunningRhat, SeesChainsApart) {
  RunningRhat together(2, 2), apart(2, 2);
  Panel position(2, 2);
  for (int i = 0; i < 1000; ++i) {
    for (Index c = 0; c < 2; ++c)
      for (std::size_t j = 0; j < 2; ++j)
        position.column(c)[j] = 1e6 + std::sin(i * 1.7 + static_cast<double>(c) * 2 + static_cast<double>(j));
    together.add(position);
    position.column(1)[1] += 3;
    apart.add(position);
  }
  EXPECT_NEAR(together.worst(), 1.0, 0.01);
  EXPECT_GT(apart.worst(), 1.5);
  EXPECT_TRUE(std::isnan(RunningRhat(2, 1).worst()));
}

// AR(1) with coefficient a has ESS/N = (1-a)/(1+a). The noise comes from a counter-based hash, and 4 × 20,000 draws
// give batch means to about 10 %.
TEST(RunningEss, IsThatOfAnAutoregression) {
  for (const double a : {0.0, 0.6, 0.95}) {
    RunningEss ess(1, 4);
    EXPECT_TRUE(std::isnan(ess.least()));
    Panel position(1, 4);
    std::uint64_t state = 12345;
    const auto noise = [&] {  // a sum of uniforms
      double sum = 0;
      for (int k = 0; k < 6; ++k) {
        state += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        sum += static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
      }
      return sum;
    };
    for (int i = 0; i < 20000; ++i) {
      for (Index c = 0; c < 4; ++c) position.column(c)[0] = a * position.column(c)[0] + noise();
      ess.add(position);
    }
    const double known = 80000 * (1 - a) / (1 + a);
    EXPECT_NEAR(ess.least() / known, 1, 0.4) << a;
  }
}

TEST(RunningEss, FollowsTheWorstOfManyCoordinates) {
  RunningEss ess(1000, 2);
  Panel position(1000, 2);
  for (int i = 0; i < 2000; ++i) {
    for (Index c = 0; c < 2; ++c)
      for (std::size_t j = 0; j < 1000; ++j)
        position.column(c)[j] = j < 500 ? std::sin(i * 2.7 + static_cast<double>(j)) : std::sin(i * 0.003);
    ess.add(position);
  }
  EXPECT_LT(ess.least(), 200);
  EXPECT_GT(ess.least(), 0);
}

}  // namespace
}  // namespace pollen::sink
