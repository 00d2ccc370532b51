#include "sink/metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "pollen/errors.h"
#include "sink/text.h"

namespace pollen::sink {

MetricsFile::MetricsFile(const std::string& path, const ModelSpec& model, MetricsColumns columns)
    : file_(path, OutputFile::Open::replace) {
  std::string header = "round,uplink_bits,downlink_bits,gradients,seconds";
  if (columns.simulated) header += ",simulated_seconds";
  if (columns.privacy) header += ",epsilon,epsilon_renyi";
  if (columns.personal)
    header += columns.test_rows ? ",nnll_train,nnll_test" : ",nnll_train";
  else if (columns.test_rows)
    for (const std::string& name : score_names(model)) header += ',' + name;
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
