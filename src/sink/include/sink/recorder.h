// The Sink of a run. It writes draws to the spool and rows to metrics.csv, updates the progress line, and asks for a
// pause when a checkpoint is due. It reads the clock only every few iterations, so that fast runs do not pay for it.
// Not thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "pollen/run.h"
#include "sink/metrics.h"
#include "sink/onlooker.h"
#include "sink/predictive.h"
#include "sink/progress.h"
#include "sink/running_ess.h"
#include "sink/running_rhat.h"
#include "sink/spool.h"

namespace pollen::sink {

struct RecorderOptions {
  SpoolShape shape;
  Index metrics_every = 100;
  std::int64_t burn_in = 0;
  int ece_bins = 15;
  double checkpoint_every = 10;        // in seconds
  bool every_round = false;            // if true, a checkpoint is due after each round
  double seconds_before = 0;           // time of the loop in earlier processes (resume)
  std::atomic<bool>* pause = nullptr;  // set when a checkpoint is due
  std::function<PrivacySpending(std::int64_t iteration)> spending = {};  // set if privacy is asked for
  std::function<Scores()> losses = {};                                   // set for mixed-effects models
  std::function<double()> simulated = {};                                // in seconds; set if there is a [network]
  Onlooker* onlooker = nullptr;
};

class Recorder : public Sink {
 public:
  Recorder(const RecorderOptions& options, std::unique_ptr<SpoolWriter> spool, std::unique_ptr<MetricsFile> metrics,
           std::unique_ptr<Predictive> predictive, Progress progress);

  void closed(std::int64_t iteration, const Counters& counters, ConstPanelView position) override;
  void kept(ConstPanelView position, std::span<const double> potential) override;
  void transitions(std::span<const Transition> transitions) override { transitions_ = transitions; }

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
  std::int64_t metrics_bytes() const { return metrics_->bytes(); }
  std::string save();  // saves the running predictive
  void load(const std::string& state);
  void finish_progress(std::int64_t iteration, const Counters& counters);

 private:
  using Clock = std::chrono::steady_clock;
  void metrics_row(std::int64_t iteration, const Counters& counters, ConstPanelView position);
  ProgressState state(std::int64_t iteration, const Counters& counters) const;
  void look_at_clock(std::int64_t iteration, const Counters& counters);
  void show(std::int64_t iteration, const Counters& counters);
  double running() const;  // seconds since start_clock()

  RecorderOptions options_;
  std::unique_ptr<SpoolWriter> spool_;
  std::unique_ptr<MetricsFile> metrics_;
  std::unique_ptr<Predictive> predictive_;
  Progress progress_;
  RunningRhat rhat_;
  RunningEss ess_;
  std::int64_t last_round_ = 0;
  std::int64_t until_look_ = 1, between_looks_ = 1;
  Clock::time_point started_, looked_, checkpoint_due_;
  double seconds_ = 0, cpu_seconds_ = 0, cpu_started_ = 0;
  double rhat_value_, ess_value_, rhat_at_ = -1e9;
  std::span<const Transition> transitions_;  // belong to the draw that is about to be kept
};

}  // namespace pollen::sink
