// The posterior predictive of rows, with the sources of its uncertainty (docs/predict.md).
//
// For classifiers p̄(c) is the mean over draws of p(c | x, θ), with an interval of p(c | x, θ) over draws. The entropy
// of p̄ (natural logarithms) is split into the mean entropy of the draws' own predictions (aleatoric: it would remain
// if θ were known) and the rest, the mutual information of class and θ (epistemic: more data would remove it). For
// linear, poisson and networks with a real response it gives mean and sd of the response, noise included, and an
// interval. The variance is the mean over draws of the noise's variance (aleatoric) plus the variance over draws of the
// mean (epistemic).
//
// Rows are processed in blocks, so memory is rows of a block × draws. The result is the same for any number of threads.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pollen/data.h"
#include "pollen/model.h"
#include "sink/draws.h"
#include "sink/predictive.h"

namespace pollen::sink {

struct RowForecast {
  Index rows = 0;
  Index classes = 0;                         // 0 if a number is predicted
  std::vector<double> mean, lower, upper;    // rows × classes probabilities, or one response per row
  std::vector<double> total;                 // the entropy or the variance
  std::vector<double> aleatoric, epistemic;  // the parts of `total`
  std::vector<double> log_density;           // of the targets, averaged over draws; only for numbers with targets

  Index predicted(Index row) const;  // the most probable class, the lower one in a tie
};

struct ForecastOptions {
  double interval = 0.9;
  int threads = 1;
  Index buffer = Index{1} << 24;  // limit of the numbers held for a block of rows: 128 MB
};

class Forecaster {
 public:
  // Both must outlive this object. Throws ConfigError unless the model predicts and the draws have its dimension.
  Forecaster(const ModelSpec& model, const ChosenDraws& draws, const ForecastOptions& options);

  Index classes() const { return classes_; }
  Index block() const { return block_; }                                     // limit of rows per call
  RowForecast forecast(const Table& table, Index first, Index count) const;  // count must not exceed block()

 private:
  struct Series;  // what the draws say of a block's rows
  void collect_classes(const RowsView& x, Series& series) const;
  void collect_numbers(const RowsView& x, const double* y, Series& series) const;
  void finish_class_row(Series& series, Index row, RowForecast& out) const;
  void finish_number_row(Series& series, Index row, RowForecast& out) const;
  double share(bool upper) const { return 0.5 + (upper ? 0.5 : -0.5) * options_.interval; }

  const ModelSpec* model_;
  const ChosenDraws* draws_;
  ForecastOptions options_;
  Index classes_ = 0, block_ = 1;
};

// Scores forecasts against the rows' targets, as in summary.json.
class ForecastScores {
 public:
  explicit ForecastScores(Index classes) : classes_(classes) {}
  void add(const RowForecast& forecast, std::span<const double> targets);
  Index rows() const { return static_cast<Index>(truth_.size()) + sums_.rows; }
  // Returns accuracy, ece, brier, nnll; or rmse, nnll and the intervals' coverage.
  Scores scores(int ece_bins) const;

 private:
  Index classes_;
  std::vector<double> probabilities_, truth_;  // classifiers only
  ResponseSums sums_;
  double covered_ = 0;
};

struct ForecastFacts {
  std::string model;
  std::vector<std::string> classes;  // names of the classes; empty if a number is predicted
  double interval = 0.9;
  Index draws = 0;
  bool json = false;
};

// Writes forecasts as text, block after block: csv with one line per row, or one JSON object. Not thread-safe.
class ForecastWriter {
 public:
  ForecastWriter(ForecastFacts facts, std::function<void(std::string_view)> write);
  void add(const RowForecast& block);
  void finish(const Scores& scores);  // JSON has the scores at its end

 private:
  void csv_row(const RowForecast& block, Index row);
  std::string json_row(const RowForecast& block, Index row) const;

  ForecastFacts facts_;
  std::function<void(std::string_view)> write_;
  Index rows_ = 0;
  std::string text_;  // text of the current block
};

}  // namespace pollen::sink
