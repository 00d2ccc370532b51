// One run: an experiment, its folder, its recorder and its checkpoints. It prints nothing and reports through
// callbacks. pollen::Run (pollen/run.h) wraps this class for programs; `pollen run` and `pollen serve` use it directly.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/row_layout.h"
#include "run/experiment.h"
#include "sink/checkpoint.h"
#include "sink/facts.h"
#include "sink/folder.h"
#include "sink/live_feed.h"
#include "sink/next_commands.h"
#include "sink/recorder.h"
#include "sink/summary.h"

namespace pollen::sink {

// What is to be run, and where its files go.
struct Job {
  Config config;
  RunFolder folder{""};
  std::string shown_folder;                                  // the folder as it is shown to the user
  std::vector<std::string> draws;                            // the output formats, as in output.draws
  double checkpoint_every = 10;                              // seconds
  bool replace = false;                                      // an earlier run in the folder is removed, not renamed
  std::optional<Checkpoint> checkpoint = {};                 // the checkpoint from which the run continues, if any
  std::string checkpoint_file = {};                          // the checkpoint's file; if empty, it is in the folder
  ExperimentOptions experiment = {};                         // threads and the stop flag are among them
  std::vector<Sink*> sinks = {};                             // further sinks, called before the recorder
  std::function<void(const RunProgress&)> on_progress = {};  // this and the next: as in RunOptions
  std::function<void(const std::string&)> on_message = {};
  std::function<void(RunFacts&)> add_facts = {};  // adds facts to the summary before it is written
  std::optional<RowLayout> layout = {};           // the agreed layout, if clients read their own files
  LiveFeed* live = nullptr;                       // the feed of a dashboard; null without one
};

// The job of running a configuration in a folder; or, with `resume`, of continuing from the checkpoint there, with the
// output settings that the run began with. Throws ConfigError if the folder holds other files, if another process works
// in it, or if there is no checkpoint to resume.
Job make_job(Config config, const std::string& folder, bool resume);

class RunSession {
 public:
  explicit RunSession(Job job);  // throws ConfigError if the configuration is wrong; writes nothing yet

  bool complete() const { return job_.checkpoint && job_.checkpoint->finished; }  // nothing is left to do
  // Prepares a new run and its folder, or restores the checkpoint. Throws Interrupted if the user stops it.
  void start();
  // To be called after Interrupted: leaves a checkpoint without a state, so that a resumed run prepares again.
  void leave_early();
  RunStatus sample();
  Summary finish(RunStatus status);  // writes the draws, the summary and the other final files
  // To be called after finish(): gives the folder back; a complete run is marked as such and keeps no state. A process
  // that is killed before this can be started again and finishes the run once more.
  void close(RunStatus status);
  const std::string& failure() const { return failure_; }
  // What the run has left. The caller knows whether its build has the report's page.
  Ending ending(bool pages) const;
  const Experiment& experiment() const { return experiment_; }
  const Recorder* recorder() const { return recorder_.get(); }  // null before start()
  std::unique_ptr<SpoolReader> read_draws() const;              // the kept draws; call it between sample() and finish()

 private:
  void check_same_configuration() const;
  void check_same_files() const;
  void start_fresh();
  void begin_folder();
  void start_resumed();
  void write_layout() const;
  void make_recorder(std::unique_ptr<SpoolWriter> spool, std::unique_ptr<MetricsFile> metrics);
  ExperimentOptions options_of_experiment();
  void show_warming(std::int64_t done, std::int64_t steps);
  void end_warming();
  void say(const std::string& line) const;
  enum class Moment { round, pause, end };  // when a checkpoint is written
  void write_checkpoint(Moment moment);
  void advance();
  RunFacts final_facts(RunStatus status) const;
  std::vector<std::string> files() const;
  bool wants_csv() const;
  bool stopped() const { return job_.experiment.stop != nullptr && job_.experiment.stop->load(); }
  std::string checkpoint_file() const {
    return job_.checkpoint_file.empty() ? job_.folder.checkpoint() : job_.checkpoint_file;
  }
  // Whether the privacy budget is spent.
  bool budget_spent() const { return experiment_.privacy().ended(experiment_.iteration()); }

  Job job_;
  Experiment experiment_;
  std::optional<RunProgress> warming_;  // the warm-up's progress while it runs
  std::chrono::steady_clock::time_point warming_since_;
  std::vector<FileDigest> files_;  // what the data were read from
  std::string config_given_;       // the configuration as given, before set-up filled in the step
  double seconds_before_ = 0, cpu_before_ = 0;
  std::unique_ptr<Recorder> recorder_;
  std::optional<CheckpointFile> checkpoints_;
  std::string failure_;
};

}  // namespace pollen::sink
