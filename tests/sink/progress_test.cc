#include "sink/progress.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sink/running_rhat.h"
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

ProgressState at(std::int64_t iteration, double seconds) { return {iteration, seconds, 1'000'000, 2'000'000, 1.0123}; }

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
  const ProgressState half{500, 5, 0, 0, std::nan("")};
  EXPECT_EQ(progress.line(half), "pollen: 50%, 500 of 1000 steps, 100 a second, 5.00 s left");
  EXPECT_NE(progress.bar(half, 120).find("100 steps/s"), std::string::npos);
  EXPECT_EQ(progress.bar(half, 120).find("↑"), std::string::npos);
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

}  // namespace
}  // namespace pollen::sink
