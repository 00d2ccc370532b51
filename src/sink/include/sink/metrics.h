// DIR/metrics.csv: one row every metrics_every rounds; scores are of the predictive averaged over the chain states seen
// at rows after burn-in, empty before. Of mixed-effects models they are the losses of clients' models at the row.
#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "pollen/round.h"
#include "run/privacy_meter.h"
#include "sink/predictive.h"

namespace pollen::sink {

struct MetricsColumns {
  bool test_rows = true;   // without them there are no scores
  bool privacy = false;    // epsilon (Theorem G.3) and epsilon_renyi
  bool personal = false;   // nnll_train and nnll_test in place of scores
  bool simulated = false;  // simulated_seconds, in the network of [network]
};

// What a row has besides counters, seconds and scores, where its columns are.
struct MetricsExtras {
  std::optional<PrivacySpending> spending = {};
  std::optional<double> simulated = {};
};

class MetricsFile {
 public:
  MetricsFile(const std::string& path, const ModelSpec& model, MetricsColumns columns = {});  // new, with its header
  MetricsFile(const std::string& path, std::int64_t bytes);  // goes on after `bytes` of what was left

  // Scores that are NaN are left empty, and each ε that cannot be given.
  void row(const Counters& counters, double seconds, const Scores& scores, const MetricsExtras& extras = {});
  void flush() { file_.flush(); }
  void sync() { file_.sync(); }
  std::int64_t bytes() const { return file_.position(); }

 private:
  OutputFile file_;
};

}  // namespace pollen::sink
