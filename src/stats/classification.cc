// Scores of class probabilities, their calibration, and measures of how two sets of predictions differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pollen/scores.h"
#include "pollen/stats.h"
#include "ranks.h"

namespace pollen::stats {
namespace {

std::span<const double> row(const Predictions& p, std::size_t r) {
  const auto classes = static_cast<std::size_t>(p.classes);
  return p.probabilities.subspan(r * classes, classes);
}

// Returns the most probable class. Ties go to the lower class.
std::size_t predicted(std::span<const double> probabilities) {
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
}

std::size_t label(double truth) { return static_cast<std::size_t>(truth); }

void check(const Predictions& p) {
  if (p.classes < 1 || static_cast<Index>(p.probabilities.size()) % p.classes != 0)
    throw std::invalid_argument(
        fmt::format("predictions: found {} probabilities of {} classes, accepted: a whole number of rows",
                    p.probabilities.size(), p.classes));
}

void check(const Predictions& p, std::span<const double> truth) {
  check(p);
  if (p.rows() != static_cast<Index>(truth.size()))
    throw std::invalid_argument(
        fmt::format("predictions: found {} truths for {} rows, accepted: one truth per row", truth.size(), p.rows()));
  for (const double x : truth)
    if (!(x >= 0 && x < static_cast<double>(p.classes)))
      throw std::invalid_argument(
          fmt::format("predictions: found the truth {}, accepted: a class from 0 to {}", x, p.classes - 1));
}

void check(const Predictions& p, const Predictions& q) {
  check(p);
  if (p.classes != q.classes || p.probabilities.size() != q.probabilities.size())
    throw std::invalid_argument(
        fmt::format("predictions: found {} × {} and {} × {} probabilities, accepted: two sets of the same shape",
                    p.rows(), p.classes, q.rows(), q.classes));
}

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

double accuracy(const Predictions& p, std::span<const double> truth) {
  check(p, truth);
  double right = 0;
  for (std::size_t r = 0; r < truth.size(); ++r) right += predicted(row(p, r)) == label(truth[r]) ? 1 : 0;
  return right / static_cast<double>(truth.size());
}

double brier(const Predictions& p, std::span<const double> truth) {
  check(p, truth);
  double sum = 0;
  for (std::size_t r = 0; r < truth.size(); ++r) {
    const auto probabilities = row(p, r);
    for (std::size_t c = 0; c < probabilities.size(); ++c) {
      const double difference = probabilities[c] - (c == label(truth[r]) ? 1 : 0);
      sum += difference * difference;
    }
  }
  return sum / static_cast<double>(truth.size());
}

double nnll(const Predictions& p, std::span<const double> truth) {
  check(p, truth);
  double sum = 0;
  for (std::size_t r = 0; r < truth.size(); ++r) sum -= std::log(row(p, r)[label(truth[r])]);
  return sum / static_cast<double>(truth.size());
}

double accuracy_above(const Predictions& p, std::span<const double> truth, double threshold) {
  return confidence_curve(p, truth, {&threshold, 1}).front().accuracy;
}

std::vector<ConfidencePoint> confidence_curve(const Predictions& p, std::span<const double> truth,
                                              std::span<const double> thresholds) {
  check(p, truth);
  std::vector<ConfidencePoint> curve;
  for (const double threshold : thresholds) curve.push_back({threshold, 0, 0});
  for (std::size_t r = 0; r < truth.size(); ++r) {
    const std::size_t guess = predicted(row(p, r));
    for (ConfidencePoint& point : curve) {
      if (!(row(p, r)[guess] >= point.threshold)) continue;
      ++point.count;
      point.accuracy += guess == label(truth[r]) ? 1 : 0;
    }
  }
  // A threshold that no row reaches gives 0/0, which is NaN.
  for (ConfidencePoint& point : curve) point.accuracy /= static_cast<double>(point.count);
  return curve;
}

std::vector<Index> count_above(const Predictions& p, std::span<const double> thresholds) {
  check(p);
  std::vector<Index> counts(thresholds.size(), 0);
  for (std::size_t r = 0; r < static_cast<std::size_t>(p.rows()); ++r) {
    const double confidence = row(p, r)[predicted(row(p, r))];
    for (std::size_t t = 0; t < counts.size(); ++t) counts[t] += confidence >= thresholds[t] ? 1 : 0;
  }
  return counts;
}

double agreement(const Predictions& p, const Predictions& q) {
  check(p, q);
  const auto rows = static_cast<std::size_t>(p.rows());
  double same = 0;
  for (std::size_t r = 0; r < rows; ++r) same += predicted(row(p, r)) == predicted(row(q, r)) ? 1 : 0;
  return same / static_cast<double>(rows);
}

double total_variation(const Predictions& p, const Predictions& q) {
  check(p, q);
  double sum = 0;
  for (std::size_t i = 0; i < p.probabilities.size(); ++i) sum += std::abs(p.probabilities[i] - q.probabilities[i]);
  return 0.5 * sum / static_cast<double>(p.rows());
}

std::vector<double> entropy(const Predictions& p) {
  check(p);
  std::vector<double> result(static_cast<std::size_t>(p.rows()), 0.0);
  for (std::size_t r = 0; r < result.size(); ++r)
    for (const double x : row(p, r))
      if (x != 0) result[r] -= x * std::log(x);
  return result;
}

// Computes Mann-Whitney's U from the ranks of the pooled scores.
double auroc(std::span<const double> in, std::span<const double> out) {
  std::vector<double> pooled(in.begin(), in.end());
  pooled.insert(pooled.end(), out.begin(), out.end());
  if (in.empty() || out.empty() || std::any_of(pooled.begin(), pooled.end(), [](double x) { return std::isnan(x); }))
    return std::nan("");
  const std::vector<double> ranks = average_ranks(pooled);
  double sum = 0;
  for (std::size_t i = in.size(); i < ranks.size(); ++i) sum += ranks[i];
  const auto m = static_cast<double>(in.size()), n = static_cast<double>(out.size());
  return (sum - n * (n + 1) / 2) / (m * n);
}

std::vector<ReliabilityBin> reliability(const Predictions& p, std::span<const double> truth, int bins) {
  check(p, truth);
  if (bins < 1) throw std::invalid_argument(fmt::format("reliability: found {} bins, accepted: 1 or more", bins));
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
