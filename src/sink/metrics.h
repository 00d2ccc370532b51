// DIR/metrics.csv: one row every metrics_every rounds; scores are of the predictive averaged over the chain states seen
// at rows after burn-in, empty before.
#pragma once

#include <string>

#include "file.h"
#include "pollen/round.h"
#include "predictive.h"

namespace pollen::sink {

class MetricsFile {
 public:
  // New, with its header; without test rows there are no scores.
  MetricsFile(const std::string& path, ModelKind kind, bool test_rows = true);
  MetricsFile(const std::string& path, std::int64_t bytes);  // goes on after `bytes` of what was left

  // Scores that are NaN are left empty.
  void row(const Counters& counters, double seconds, const Scores& scores);
  void flush() { file_.flush(); }
  void sync() { file_.sync(); }
  std::int64_t bytes() const { return file_.position(); }

 private:
  OutputFile file_;
};

}  // namespace pollen::sink
