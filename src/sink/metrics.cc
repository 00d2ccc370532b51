#include "sink/metrics.h"

#include <fmt/format.h>

#include <cmath>

#include "pollen/errors.h"
#include "sink/running_scores.h"
#include "sink/text.h"

namespace pollen::sink {

std::vector<std::string> score_columns(const Experiment& experiment) {
  const bool test = experiment.data().test.rows > 0;
  if (!experiment.personal()) return test ? running_score_names(experiment.model()) : std::vector<std::string>();
  if (experiment.personal()->apart()) return {};
  return test ? std::vector<std::string>{"nnll_train", "nnll_test"} : std::vector<std::string>{"nnll_train"};
}

MetricsFile::MetricsFile(const std::string& path, const MetricsColumns& columns)
    : file_(path, OutputFile::Open::replace) {
  std::string header = "round,uplink_bits,downlink_bits,gradients,seconds";
  if (columns.simulated) header += ",simulated_seconds";
  if (columns.privacy) header += ",epsilon,epsilon_renyi";
  for (const std::string& name : columns.scores) header += ',' + name;
  file_.write(header + '\n');
  file_.flush();
}

MetricsFile::MetricsFile(const std::string& path, std::int64_t bytes) : file_(path, OutputFile::Open::append) {
  if (file_.position() < bytes)
    throw IoError(
        fmt::format("{}: found {} bytes, accepted: at least {}, as in the checkpoint", path, file_.position(), bytes));
  file_.truncate(bytes);
}

void MetricsFile::row(const Counters& counters, double seconds, const Scores& scores, const MetricsExtras& extras) {
  std::string line = fmt::format("{},{},{},{},{:.6f}", counters.rounds, counters.uplink_bits, counters.downlink_bits,
                                 counters.gradients, seconds);
  if (extras.simulated) line += fmt::format(",{:.6f}", *extras.simulated);
  if (extras.spending)
    for (const auto& epsilon : {extras.spending->theorem.epsilon, extras.spending->renyi.epsilon}) {
      line += ',';
      if (epsilon) append_number(line, *epsilon);
    }
  for (const Score& score : scores) {
    line += ',';
    if (!std::isnan(score.value)) append_number(line, score.value);
  }
  file_.write(line + '\n');
}

}  // namespace pollen::sink
