// Shows progress to people: a bar on a terminal, plain lines elsewhere. It passes text to a writer and reads no clock.
// Not thread-safe.
//
//   Progress progress({.total = 20000, .terminal = true, .write = to_stderr});
//   progress.update({.iteration = 500, .seconds = 0.2, ...});   // decides itself whether it is time to show something
//   progress.finish();                                          // leaves the line it was drawing
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace pollen::sink {

struct ProgressState {
  std::int64_t iteration = 0;
  double seconds = 0;                               // of this process's sampling loop
  std::int64_t uplink_bits = 0, downlink_bits = 0;  // shown if not zero
  double rhat = 0;                                  // NaN if unknown
  // A rough estimate of the least ESS of all parameters; NaN if unknown.
  double ess = std::numeric_limits<double>::quiet_NaN();
  std::int64_t rounds = 0;  // shown if they differ from iterations
};

struct ProgressOptions {
  std::string counted = "iterations", unit = "it";  // what `total` counts, in words
  std::int64_t total = 0;
  std::int64_t start = 0;  // iterations done by earlier processes (resume)
  bool terminal = false;
  double every = 5;  // seconds between plain lines
  std::function<int()> width = [] { return 80; };
  std::function<void(std::string_view)> write;  // if empty, nothing is shown
};

class Progress {
 public:
  explicit Progress(ProgressOptions options) : options_(std::move(options)) {}
  void update(const ProgressState& state);
  void finish(const ProgressState& state);

  std::string bar(const ProgressState& state, int width) const;
  std::string line(const ProgressState& state) const;

 private:
  double rate(const ProgressState& state) const;
  bool plain_line_due(const ProgressState& state);

  ProgressOptions options_;
  double shown_ = -1e9;      // time in seconds when something was last shown
  std::int64_t tenths_ = 0;  // number of 10% steps passed
};

}  // namespace pollen::sink
