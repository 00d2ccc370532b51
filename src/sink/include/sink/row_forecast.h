// The posterior predictive of rows, with where its uncertainty comes from.
//
// Classifiers: p̄(c) = mean over draws of p(c | x, θ), with an interval of p(c | x, θ) over draws. The entropy of p̄ is
// split into the mean entropy of the draws' own predictions (aleatoric: it would stay if θ were known) and the rest,
// the mutual information of class and θ (epistemic: more data would take it away); natural logarithms. linear, poisson,
// networks with a real response: mean and sd of the response, noise included, and an interval of it. The variance is
// the mean over draws of the noise's (aleatoric) and the variance over draws of the mean (epistemic).
//
// A block of rows at a time: memory is rows of a block × draws. The same for any number of threads.
#pragma once

#include <vector>

#include "pollen/data.h"
#include "pollen/model.h"
#include "sink/chosen_draws.h"
#include "sink/predictive.h"

namespace pollen::sink {

struct RowForecast {
  Index rows = 0;
  Index classes = 0;                         // 0: a number is predicted
  std::vector<double> mean, lower, upper;    // rows × classes probabilities, or rows responses
  std::vector<double> total;                 // the entropy, or the variance
  std::vector<double> aleatoric, epistemic;  // its parts
  std::vector<double> log_density;           // of the targets, averaged over draws; numbers with targets only

  Index predicted(Index row) const;  // the likeliest class, ties to the lower
};

struct ForecastOptions {
  double interval = 0.9;
  int threads = 1;
  Index buffer = Index{1} << 24;  // numbers held for a block of rows: 128 MB
};

class Forecaster {
 public:
  // Both outlive this. ConfigError unless the model predicts and the draws are of its dimension.
  Forecaster(const ModelSpec& model, const ChosenDraws& draws, const ForecastOptions& options);

  Index classes() const { return classes_; }
  Index block() const { return block_; }                                     // rows at a time
  RowForecast forecast(const Table& table, Index first, Index count) const;  // count ≤ block()

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

// Scores of forecasts against the rows' targets, as summary.json has them.
class ForecastScores {
 public:
  explicit ForecastScores(Index classes) : classes_(classes) {}
  void add(const RowForecast& forecast, std::span<const double> targets);
  Index rows() const { return static_cast<Index>(truth_.size()) + sums_.rows; }
  Scores scores(int ece_bins) const;  // accuracy, ece, brier, nnll; or rmse, nnll and the intervals' coverage

 private:
  Index classes_;
  std::vector<double> probabilities_, truth_;  // classifiers
  ResponseSums sums_;
  double covered_ = 0;
};

}  // namespace pollen::sink
