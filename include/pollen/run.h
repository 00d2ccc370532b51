// A whole run: from a configuration to draws, a summary and the files of its folder, with checkpoints and resuming.
// Nothing is printed; callbacks tell of progress and warnings.
//
//   pollen::Run run(pollen::read_config_file("mine.toml"), {.folder = "out", .threads = 2});
//   run.start();                                        // finds the step, makes the folder or reads the checkpoint
//   run.sample();                                       // may be stopped: a later Run with .resume = true goes on
//   const pollen::Summary& summary = run.finish();      // writes draws-1.csv, ..., and summary.json
//   const pollen::Panel draws = run.draws();            // one column per draw
//
// A Run is used by one thread. Errors: ConfigError where the input is wrong, IoError where a file cannot be written.
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

// Is told of the sampling as it goes. All calls come from the thread that samples.
class Sink {
 public:
  virtual ~Sink() = default;
  // After every iteration; must be cheap. `iteration` counts from 1.
  virtual void closed(std::int64_t iteration, const Counters& counters, ConstPanelView position) {
    (void)iteration, (void)counters, (void)position;
  }
  // Before a kept draw of a sampler whose transitions have something to report: one per chain.
  virtual void transitions(std::span<const Transition> transitions) { (void)transitions; }
  // A kept draw of every chain (one column per chain), with U(θ) of each (empty where output.lp is false).
  virtual void kept(ConstPanelView position, std::span<const double> potential) { (void)position, (void)potential; }
};

// How far a run has come. It is told some fifty times a second at most, and once more when sampling or warming up ends.
struct RunProgress {
  std::int64_t iteration = 0;  // done; while warming up: steps of gradient descent
  double seconds = 0;          // of this process's loop
  std::int64_t uplink_bits = 0, downlink_bits = 0;
  double rhat = std::numeric_limits<double>::quiet_NaN();  // the worst of all parameters so far; NaN: unknown
  double ess = std::numeric_limits<double>::quiet_NaN();   // the least of all parameters, roughly; NaN: unknown
  std::int64_t rounds = 0;
  std::int64_t start = 0;   // iterations of earlier processes, where a run was resumed
  std::int64_t total = 0;   // of the iterations or steps
  bool warming_up = false;  // before the first iteration (warm_up.epochs)
  bool last = false;        // this phase is over
};

enum class RunStatus { complete, interrupted, failed };

struct RunOptions {
  std::string folder = {};                  // where the files go; empty: a temporary folder that goes with the Run
  bool resume = false;                      // go on from the folder's checkpoint
  int threads = 0;                          // 0: as many as pay off
  double checkpoint_every = 10;             // seconds
  const std::atomic<bool>* stop = nullptr;  // is looked at between iterations
  std::function<void(const RunProgress&)> on_progress = {};
  std::function<void(const std::string&)> on_message = {};  // warnings, and what a person may like to know
  std::vector<Sink*> sinks = {};                            // are told as well as the run's own files
  std::optional<Posterior> posterior = {};  // the program's own potentials, in place of [model] and [data]
  MakeOracle oracle = {};                   // every client's gradient estimate, in place of the sampler's
  MakeTransport transport = {};             // what carries rounds, in place of threads
};

// What a finished run has found. The folder's summary.json holds more.
struct Summary {
  RunStatus status = RunStatus::complete;
  std::string failure;                                 // why the run failed
  std::int64_t iterations = 0, draws = 0;              // done; kept per chain
  std::vector<std::string> labels;                     // one per coordinate
  std::vector<stats::ParameterSummary> parameters;     // one per coordinate; none without draws
  std::vector<double> covariance;                      // d × d, up to 200 coordinates
  std::vector<std::pair<std::string, double>> scores;  // of test rows: accuracy, ece, ...
  std::vector<std::string> warnings, notes;
  Counters counters;
  double seconds = 0;  // of the sampling loop, earlier processes included
};

class Run {
 public:
  explicit Run(Config config, RunOptions options = {});  // writes nothing yet
  ~Run();
  Run(Run&&) noexcept;

  // Whether the checkpoint to resume is of a run that is over. There is nothing to start then.
  bool finished() const;
  void start();
  RunStatus sample();
  const Summary& finish();  // after sample()

  const Config& config() const;  // with every key filled in, as DIR/config.toml has it
  const Recipe& recipe() const;
  std::int64_t iteration() const;
  // The kept draws so far, after sample(): d × (chains · draws), one column per draw, chain after chain.
  Panel draws() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen
