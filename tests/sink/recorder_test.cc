#include "sink/recorder.h"

#include <chrono>
#include <thread>

#include "fixtures.h"

namespace pollen::sink {
namespace {

class RecorderTest : public FolderTest {
 protected:
  std::unique_ptr<Recorder> make(double checkpoint_every = 1e9) {
    RecorderOptions options;
    options.shape = shape_;
    options.metrics_every = 10;
    options.checkpoint_every = checkpoint_every;
    options.checkpoint = [this] { ++checkpoints_; };
    return std::make_unique<Recorder>(options, std::make_unique<SpoolWriter>(path("draws.spool"), shape_),
                                      std::make_unique<MetricsFile>(path("metrics.csv"), MetricsColumns()),
                                      std::make_unique<RunningScores>(model_, test_, 15));
  }
  // Feeds rounds first+1 .. last, each of which is kept.
  void feed(Recorder& recorder, std::int64_t first, std::int64_t last) {
    Panel position(shape_.dimension, shape_.chains);
    Counters counters;
    recorder.start_clock();
    for (std::int64_t i = first + 1; i <= last; ++i) {
      counters.rounds = i;
      recorder.kept(position, {});
      recorder.closed(i, counters, position);
    }
    recorder.stop_clock();
  }

  SpoolShape shape_{8, 4};
  ModelSpec model_ = [] {
    ModelSpec model;
    model.family = &model_family("gaussian");
    return model;
  }();
  Table test_;
  int checkpoints_ = 0;
};

TEST_F(RecorderTest, KeepsDrawsAndRows) {
  const auto recorder = make();
  feed(*recorder, 0, 35);
  recorder->sync();
  EXPECT_EQ(SpoolReader(path("draws.spool")).draws(), 35);
  const std::string text = slurp(path("metrics.csv"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);  // header, rounds 10, 20, 30
  EXPECT_EQ(recorder->metrics_bytes(), static_cast<std::int64_t>(text.size()));
}

TEST_F(RecorderTest, AsksForACheckpointWhenOneIsDue) {
  const auto recorder = make(0.05);
  const auto start = std::chrono::steady_clock::now();
  std::int64_t done = 0;
  for (; checkpoints_ == 0 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20); done += 1000)
    feed(*recorder, done, done + 1000);
  EXPECT_GT(checkpoints_, 0);
  recorder->checkpoint_written(1e6);  // one that took so long is not written again soon
  checkpoints_ = 0;
  feed(*recorder, done, done + 1000);
  EXPECT_EQ(checkpoints_, 0);
}

TEST_F(RecorderTest, OnlyTimeBetweenStartAndStopCounts) {
  const auto recorder = make();
  feed(*recorder, 0, 10);
  const double seconds = recorder->seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(recorder->seconds(), seconds);
}

TEST_F(RecorderTest, StateIsSavedAndLoaded) {
  const auto recorder = make();
  feed(*recorder, 0, 10);
  const std::string state = recorder->save();
  const auto again = make();
  again->load(state);
  EXPECT_EQ(again->save(), state);
}

}  // namespace
}  // namespace pollen::sink
