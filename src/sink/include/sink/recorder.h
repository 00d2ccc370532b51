// The recorder is the Sink that writes a run's files: draws to the spool, rows to metrics.csv. It also calls back for
// progress and checkpoints. It looks at the clock only every so many iterations, so that a fast run does not pay for
// it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pollen/run.h"
#include "sink/facts.h"
#include "sink/live_feed.h"
#include "sink/metrics.h"
#include "sink/running.h"
#include "sink/running_scores.h"
#include "sink/spool.h"
#include "sink/transitions.h"

namespace pollen::sink {

struct RecorderOptions {
  SpoolShape shape;
  RunFacts facts = {};  // of the run as it begins: what is asked for, and what earlier processes did
  Index metrics_every = 100;
  double checkpoint_every = 10;           // seconds
  bool every_round = false;               // a checkpoint after every round, as a federation with memories needs
  std::function<void()> checkpoint = {};  // writes a checkpoint; called between iterations, its time does not count
  std::function<void(const RunProgress&)> on_progress = {};
  double seconds_before = 0;                                             // that earlier processes spent in the loop
  std::function<PrivacySpending(std::int64_t iteration)> spending = {};  // the privacy spent, if it is accounted
  std::function<Scores()> losses = {};                                   // the losses of mixed-effects models
  std::function<double()> simulated = {};                                // simulated seconds, if [network] is set
  LiveFeed* live = nullptr;                                              // the feed of a dashboard, or null
  // Further sinks. They are told everything before the recorder is, because the checkpoint that it may write must
  // include what they did.
  std::vector<Sink*> sinks = {};
};

class Recorder : public Sink {
 public:
  Recorder(const RecorderOptions& options, std::unique_ptr<SpoolWriter> spool, std::unique_ptr<MetricsFile> metrics,
           std::unique_ptr<RunningScores> scores);

  void closed(std::int64_t iteration, const Counters& counters, ConstPanelView position) override;
  void kept(ConstPanelView position, std::span<const double> potential) override;
  void transitions(std::span<const Transition> transitions) override;

  // Call these around every advance(), because only the time between them counts as time of the loop.
  void start_clock();
  void stop_clock();
  double seconds() const;                              // of the loop, including earlier processes
  double cpu_seconds() const { return cpu_seconds_; }  // of this process
  // Takes the seconds that a checkpoint took. The next one is due late enough for checkpoints to remain a small part.
  void checkpoint_written(double cost);

  void sync();  // writes spool and metrics to the disk
  std::int64_t draws() const { return spool_->draws(); }
  // The worst of all parameters, as of half a second ago; NaN if unknown.
  double rhat() const { return rhat_value_; }
  TransitionFacts transition_facts() const { return has_trajectories() ? tally_.facts() : TransitionFacts{}; }
  std::int64_t metrics_bytes() const { return metrics_->bytes(); }
  std::string save();  // saves the running scores
  void load(const std::string& state);
  void finish_progress(std::int64_t iteration, const Counters& counters);

 private:
  using Clock = std::chrono::steady_clock;
  void metrics_row(std::int64_t iteration, const Counters& counters, ConstPanelView position);
  RunProgress state(std::int64_t iteration, const Counters& counters) const;
  void look_at_clock(std::int64_t iteration, const Counters& counters);
  void write_checkpoint();
  void show(std::int64_t iteration, const Counters& counters, bool last);
  void archive(Archive& archive);
  double running() const;  // seconds since start_clock()
  bool has_trajectories() const { return sink::has_trajectories(options_.facts.sampler); }

  RecorderOptions options_;
  std::unique_ptr<SpoolWriter> spool_;
  std::unique_ptr<MetricsFile> metrics_;
  std::unique_ptr<RunningScores> scores_;
  RunningRhat rhat_;
  RunningEss ess_;
  TransitionTally tally_;
  std::int64_t last_round_ = 0;
  std::int64_t until_look_ = 1, between_looks_ = 1;
  Clock::time_point started_, looked_, checkpoint_due_;
  double seconds_ = 0, cpu_seconds_ = 0, cpu_started_ = 0;
  double rhat_value_, ess_value_, rhat_at_ = -1e9;
  std::span<const Transition> transitions_;  // belong to the draw that is about to be kept
};

}  // namespace pollen::sink
