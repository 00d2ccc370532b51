// Writes DIR/metrics.csv, one row every metrics_every rounds. Scores are those of running_scores.h; for mixed-effects
// models they are the losses of the clients' models at that row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "pollen/round.h"
#include "run/experiment.h"
#include "run/privacy_meter.h"
#include "sink/predictive.h"

namespace pollen::sink {

struct MetricsColumns {
  std::vector<std::string> scores = {};
  bool privacy = false;    // adds epsilon (Theorem G.3) and epsilon_renyi
  bool simulated = false;  // adds simulated_seconds, the time in the network of [network]
};

// Returns the names of the scores of a run's rows. Without test rows there are none, but mixed-effects models have
// nnll_train.
std::vector<std::string> score_columns(const Experiment& experiment);

// What a row has besides counters, seconds and scores, if the columns exist.
struct MetricsExtras {
  std::optional<PrivacySpending> spending = {};
  std::optional<double> simulated = {};
};

class MetricsFile {
 public:
  // Starts a new file with a header.
  MetricsFile(const std::string& path, const MetricsColumns& columns);
  MetricsFile(const std::string& path, std::int64_t bytes);  // continues a file after its first `bytes` bytes

  // Writes a row. Scores that are NaN, and each ε that cannot be given, are left empty.
  void row(const Counters& counters, double seconds, const Scores& scores, const MetricsExtras& extras = {});
  void sync() { file_.sync(); }
  std::int64_t bytes() const { return file_.position(); }

 private:
  OutputFile file_;
};

}  // namespace pollen::sink
