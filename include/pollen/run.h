// A Run goes from a configuration to draws, a summary and the files of its folder (docs/outputs.md), with checkpoints
// from which it can be resumed. It prints nothing; callbacks report progress and warnings (docs/library.md).
//
//   pollen::Run run(pollen::read_config_file("mine.toml"), {.folder = "out", .threads = 2});
//   run.start();                                        // chooses the step; makes the folder or reads the checkpoint
//   run.sample();                                       // can be stopped; a later Run with .resume = true continues
//   const pollen::Summary& summary = run.finish();      // writes draws-1.csv and so on, and summary.json
//   const pollen::Panel draws = run.draws();            // one column per draw
//
// A Run must be used by one thread at a time. It throws ConfigError if the input is wrong and IoError if a file cannot
// be written.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pollen/config.h"
#include "pollen/model.h"
#include "pollen/oracle.h"
#include "pollen/round.h"
#include "pollen/stats.h"
#include "pollen/transport.h"

namespace pollen {

// A Sink is told what sampling produces, as it happens. All calls come from the thread that samples.
class Sink {
 public:
  virtual ~Sink() = default;
  // Is called after every iteration and must be cheap. `iteration` counts from 1.
  virtual void closed(std::int64_t iteration, const Counters& counters, ConstPanelView position) {
    (void)iteration, (void)counters, (void)position;
  }
  // Is called after every iteration after burn-in, and before kept(), with one transition per chain, by samplers whose
  // transitions have something to report.
  virtual void transitions(std::span<const Transition> transitions) { (void)transitions; }
  // Is called with a kept draw of every chain, one column per chain, and U(θ) of each (empty if output.lp is false).
  virtual void kept(ConstPanelView position, std::span<const double> potential) { (void)position, (void)potential; }
};

// How far a run has come. It is reported at most about fifty times per second, and once more when sampling or the
// warm-up ends.
struct RunProgress {
  // Iterations done; during the warm-up: steps of gradient descent; while a large result is being written: millions of
  // numbers written or summarised.
  std::int64_t iteration = 0;
  double seconds = 0;  // spent in this process's loop
  std::int64_t uplink_bits = 0, downlink_bits = 0;
  double rhat = std::numeric_limits<double>::quiet_NaN();  // the worst of all parameters so far; NaN if unknown
  double ess = std::numeric_limits<double>::quiet_NaN();   // an estimate of the least of all parameters; NaN if unknown
  std::int64_t rounds = 0;
  std::int64_t start = 0;   // iterations that earlier processes did, if the run was resumed
  std::int64_t total = 0;   // all iterations or steps of this phase
  bool warming_up = false;  // the phase before the first iteration (warm_up.epochs)
  bool writing = false;     // the phase after the last one, if it takes seconds
  bool last = false;        // this phase is over
};

enum class RunStatus { complete, interrupted, failed };

struct RunOptions {
  std::string folder = {};       // for the run's files; empty: a temporary folder that is deleted with the Run
  bool resume = false;           // continue from the folder's checkpoint
  bool replace = false;          // remove an earlier run in the folder; otherwise it is renamed to FOLDER-1 or so
  int threads = 0;               // 0: as many as are useful
  double checkpoint_every = 10;  // seconds
  const std::atomic<bool>* stop = nullptr;  // the run stops after an iteration if this is true
  std::function<void(const RunProgress&)> on_progress = {};
  std::function<void(const std::string&)> on_message = {};  // warnings and other messages for people
  std::vector<Sink*> sinks = {};                            // are called in addition to writing the run's files
  std::optional<Posterior> posterior = {};  // the program's own likelihood and prior, in place of [model] and [data]
  MakeTransport transport = {};             // what carries rounds, in place of threads of this process
};

// The results of a finished run. summary.json in the run's folder holds more.
struct Summary {
  RunStatus status = RunStatus::complete;
  std::string failure;                                 // why the run failed, if it did
  std::int64_t iterations = 0, draws = 0;              // iterations done; draws kept per chain
  std::vector<std::string> labels;                     // one per coordinate
  std::vector<stats::ParameterSummary> parameters;     // one per coordinate; empty without draws
  std::vector<double> covariance;                      // d × d; only up to 200 coordinates
  std::vector<std::pair<std::string, double>> scores;  // on test rows: accuracy, ece and so on
  std::vector<std::string> warnings, notes;
  Counters counters;
  double seconds = 0;  // spent in the sampling loop, earlier processes included
};

class Run {
 public:
  explicit Run(Config config, RunOptions options = {});  // writes no file yet
  ~Run();
  Run(Run&&) noexcept;

  // Whether the run to be resumed is already over, so that there is nothing to start.
  bool finished() const;
  void start();
  RunStatus sample();
  const Summary& finish();  // computes the summary and writes the last files; call it after sample()

  const Config& config() const;  // with every key filled in, as in the folder's config.toml
  const Recipe& recipe() const;
  std::int64_t iteration() const;
  // The draws kept so far, one column per draw, chain after chain: d × (chains · draws). Call it after sample().
  Panel draws() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen
