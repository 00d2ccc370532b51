// Scores of class probabilities, and measures of how two sets of predictions differ.
#include <algorithm>
#include <cmath>

#include "predictions.h"
#include "ranks.h"

namespace pollen::stats {

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

}  // namespace pollen::stats
