// Calibration of the predicted class's probability and of credible regions.
#include <cmath>

#include "pollen/stats.h"
#include "predictions.h"

namespace pollen::stats {
namespace {

// Returns the bin (lower, upper] that holds a confidence. The edges are the doubles j/bins, and a value on an edge
// belongs to the bin below.
std::size_t bin_of(double confidence, int bins) {
  if (!(confidence > 0)) return 0;
  int bin = std::min(static_cast<int>(std::ceil(std::min(confidence, 1.0) * bins)), bins) - 1;
  while (bin > 0 && confidence <= static_cast<double>(bin) / bins) --bin;
  while (bin + 1 < bins && confidence > static_cast<double>(bin + 1) / bins) ++bin;
  return static_cast<std::size_t>(bin);
}

}  // namespace

std::vector<ReliabilityBin> reliability(const Predictions& p, std::span<const double> truth, int bins) {
  check(p, truth);
  if (bins < 1) throw std::invalid_argument("reliability: at least one bin");
  std::vector<ReliabilityBin> result(static_cast<std::size_t>(bins));
  for (std::size_t r = 0; r < truth.size(); ++r) {
    const std::size_t guess = predicted(row(p, r));
    const double confidence = row(p, r)[guess];
    ReliabilityBin& bin = result[bin_of(confidence, bins)];
    bin.confidence += confidence;
    bin.accuracy += guess == label(truth[r]) ? 1 : 0;
    ++bin.count;
  }
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j].lower = static_cast<double>(j) / bins;
    result[j].upper = static_cast<double>(j + 1) / bins;
    if (result[j].count == 0) continue;
    result[j].confidence /= static_cast<double>(result[j].count);
    result[j].accuracy /= static_cast<double>(result[j].count);
  }
  return result;
}

double ece(const Predictions& p, std::span<const double> truth, int bins) {
  double sum = 0;
  for (const ReliabilityBin& bin : reliability(p, truth, bins))
    sum += static_cast<double>(bin.count) * std::abs(bin.accuracy - bin.confidence);
  return sum / static_cast<double>(truth.size());
}

double hpd_error(std::span<const double> potentials, std::span<const double> reference, double alpha) {
  return std::abs(quantile(potentials, 1 - alpha) / quantile(reference, 1 - alpha) - 1);
}

}  // namespace pollen::stats
