// One `pollen run`: an experiment, its folder, the recorder between them, and the checkpoints.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "commands.h"
#include "data/row_layout.h"
#include "pollen/run.h"
#include "sink/checkpoint.h"
#include "sink/facts.h"
#include "sink/folder.h"
#include "sink/live_feed.h"
#include "sink/recorder.h"
#include "sink/summary.h"

namespace pollen::app {

// What is to be run, and where its files go.
struct Job {
  Config config;
  sink::RunFolder folder{""};
  std::string shown_folder;        // as the user may type it
  std::vector<std::string> draws;  // output.draws
  RunRequest request;
  std::optional<sink::Checkpoint> checkpoint;           // with --resume
  ExperimentOptions experiment;                         // besides threads and stop
  std::string checkpoint_file;                          // where it is kept; empty: in the folder
  std::function<void(sink::RunFacts&)> add_facts = {};  // more for the summary
  std::optional<RowLayout> layout = {};                 // of clients that read their own files
  sink::LiveFeed* live = nullptr;                       // who looks on
};

class RunSession {
 public:
  explicit RunSession(Job job);  // ConfigError where anything is wrong; nothing is written yet

  bool complete() const { return job_.checkpoint && job_.checkpoint->finished; }  // --resume of a finished run
  void start();  // set-up and a fresh folder, or everything as the checkpoint has it. Interrupted in the middle of it
  void stopped_early();  // after that: leaves what --resume needs
  sink::RunStatus sample();
  sink::Summary finish(sink::RunStatus status);  // writes what the run leaves
  const std::string& failure() const { return failure_; }
  std::vector<std::string> files() const;  // their names, for the report
  const Experiment& experiment() const { return experiment_; }
  const sink::Recorder* recorder() const { return recorder_.get(); }           // nothing before start()
  void read_draws(const std::function<void(const sink::SpoolReader&)>& read);  // between sample() and finish()

 private:
  void check_same_configuration() const;
  void start_fresh();
  void start_resumed();
  void write_layout() const;
  void make_recorder(std::unique_ptr<sink::SpoolWriter> spool, std::unique_ptr<sink::MetricsFile> metrics);
  ExperimentOptions options_of_experiment();
  sink::ProgressOptions progress_options() const;
  sink::Progress make_progress() const;
  void show_warming(std::int64_t done, std::int64_t steps);
  void write_checkpoint(bool finished);
  bool wants_csv() const;
  std::string checkpoint_file() const {
    return job_.checkpoint_file.empty() ? job_.folder.checkpoint() : job_.checkpoint_file;
  }
  bool budget_spent() const { return experiment_.privacy().ended(experiment_.iteration()); }  // of privacy

  // What people see of a warm-up.
  struct Warming {
    sink::Progress progress;
    std::chrono::steady_clock::time_point since;
    sink::ProgressState state = {};
  };

  Job job_;
  Experiment experiment_;
  std::optional<Warming> warming_;  // while it goes on
  std::string config_given_;        // before set-up
  double seconds_before_ = 0, cpu_before_ = 0;
  std::unique_ptr<sink::Recorder> recorder_;
  std::string failure_;
};

}  // namespace pollen::app
