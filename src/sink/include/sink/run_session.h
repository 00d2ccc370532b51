// One run: an experiment, its folder, the recorder between them, and the checkpoints. Prints nothing; tells callbacks.
// pollen::Run (pollen/run.h) is this for programs; pollen run and pollen serve use it as it is.
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
#include "sink/recorder.h"
#include "sink/summary.h"

namespace pollen::sink {

// What is to be run, and where its files go.
struct Job {
  Config config;
  RunFolder folder{""};
  std::string shown_folder;                                  // as the user may type it
  std::vector<std::string> draws;                            // formats, as output.draws has them
  double checkpoint_every = 10;                              // seconds
  std::optional<Checkpoint> checkpoint = {};                 // to go on from
  std::string checkpoint_file = {};                          // where it is kept; empty: in the folder
  ExperimentOptions experiment = {};                         // threads and the stop flag are among them
  std::vector<Sink*> sinks = {};                             // are told too
  std::function<void(const RunProgress&)> on_progress = {};  // as RunOptions has them
  std::function<void(const std::string&)> on_message = {};   //
  std::function<void(RunFacts&)> add_facts = {};             // more for the summary
  std::optional<RowLayout> layout = {};                      // of clients that read their own files
  LiveFeed* live = nullptr;                                  // who looks on
};

// The job of running a configuration in a folder, which must be free; or, with `resume`, of going on from the
// checkpoint there, with the output settings that the run began with. ConfigError where that cannot be.
Job make_job(Config config, const std::string& folder, bool resume);

class RunSession {
 public:
  explicit RunSession(Job job);  // ConfigError where anything is wrong; nothing is written yet

  bool complete() const { return job_.checkpoint && job_.checkpoint->finished; }  // there is nothing to go on with
  // Set-up and a fresh folder, or everything as the checkpoint has it. Interrupted where it was stopped in the middle.
  void start();
  void leave_early();  // after that: leaves a checkpoint without a state, so that a resumed run prepares again
  RunStatus sample();
  Summary finish(RunStatus status);  // writes what the run leaves
  const std::string& failure() const { return failure_; }
  std::vector<std::string> files() const;  // their names, for the report
  const Experiment& experiment() const { return experiment_; }
  const Recorder* recorder() const { return recorder_.get(); }  // nothing before start()
  std::unique_ptr<SpoolReader> read_draws() const;              // between sample() and finish()

 private:
  void check_same_configuration() const;
  void start_fresh();
  void start_resumed();
  void write_layout() const;
  void make_recorder(std::unique_ptr<SpoolWriter> spool, std::unique_ptr<MetricsFile> metrics);
  ExperimentOptions options_of_experiment();
  void show_warming(std::int64_t done, std::int64_t steps);
  void end_warming();
  void say(const std::string& line) const;
  void write_checkpoint(bool finished);
  void advance();
  RunFacts final_facts(RunStatus status) const;
  void clear_up(RunStatus status);
  bool wants_csv() const;
  bool stopped() const { return job_.experiment.stop != nullptr && job_.experiment.stop->load(); }
  std::string checkpoint_file() const {
    return job_.checkpoint_file.empty() ? job_.folder.checkpoint() : job_.checkpoint_file;
  }
  bool budget_spent() const { return experiment_.privacy().ended(experiment_.iteration()); }  // of privacy

  Job job_;
  Experiment experiment_;
  std::optional<RunProgress> warming_;  // while it goes on
  std::chrono::steady_clock::time_point warming_since_;
  std::string config_given_;  // before set-up
  double seconds_before_ = 0, cpu_before_ = 0;
  std::unique_ptr<Recorder> recorder_;
  std::string failure_;
};

}  // namespace pollen::sink
