// Shows progress to people: a bar on a terminal, plain lines elsewhere. It passes text to a writer and reads no clock.
// Not thread-safe.
//
//   Progress progress({.total = 20000, .terminal = true, .write = to_stderr});
//   progress.update({.iteration = 500, .seconds = 0.2, ...});   // decides itself whether it is time to show something
//   progress.finish();                                          // leaves the line it was drawing
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "pollen/run.h"

namespace pollen::sink {

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
  void update(const RunProgress& state);
  void finish(const RunProgress& state);

  std::string bar(const RunProgress& state, int width) const;
  std::string line(const RunProgress& state) const;

 private:
  double rate(const RunProgress& state) const;
  bool plain_line_due(const RunProgress& state);

  ProgressOptions options_;
  double shown_ = -1e9;      // time in seconds when something was last shown
  std::int64_t tenths_ = 0;  // number of 10% steps passed
};

}  // namespace pollen::sink
