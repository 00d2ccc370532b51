// Sums over test rows from which scores follow. Clients of a federation send them in place of their predictions, and
// the server adds them up. Plain data.
#pragma once

#include <span>
#include <vector>

#include "sink/predictive.h"

namespace pollen::sink {

struct ScoreSums {
  // Rows whose confidence is in a range: how many, their confidences, and how many of them are right.
  struct Range {
    double rows = 0, confidence = 0, right = 0;
  };

  double rows = 0, right = 0, squares = 0, log_density = 0;
  std::vector<Range> bins;   // of equal width, for the calibration of a classifier; empty where it is not scored
  std::vector<Range> above;  // rows whose confidence reaches each of kThresholds; confidences are not added up

  // Adds a row. `mean` is the mean of the response, P(1), or the class probabilities; `density` the logarithm of the
  // density.
  void add(double y, std::span<const double> mean, double density, bool classes);
  void add(const ScoreSums& other);  // of the same shape
  // accuracy, ece (with bins), brier and nnll of a classifier; rmse and nnll otherwise.
  Scores scores(bool classes) const;

  // The sums as numbers for a message, and back. `numbers` says how many there are: with bins for a classifier that
  // many, without them 0.
  static Index numbers(int bins);
  static constexpr std::size_t kLogDensity = 3;  // the place of the only number that may be negative
  void write(std::span<double> out) const;
  static ScoreSums read(std::span<const double> from, int bins);
};

// The confidences at which rows are counted.
std::span<const double> confidence_thresholds();

// How many rows a sum counts, whatever a client has sent.
Index counted(double rows);

// The bins of a model's sums: none unless it is a classifier.
int score_bins(const ModelSpec& model, int ece_bins);

// The sums over all rows of an averaged predictive, which has states and rows.
ScoreSums sums_of(const Predictive& averaged, const Table& rows, int bins);

}  // namespace pollen::sink
