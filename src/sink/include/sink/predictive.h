// The averaged predictive distribution on test rows, and its scores. States are added one by one; only sums are kept.
//
// Classifiers: p̄(c | x) = mean over states of p(c | x, θ). linear, poisson: the mean response, and log of the averaged
// density (log-sum-exp). Not synchronised; add_all spreads fixed blocks of rows over threads, with the same result for
// any number of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/predicted_rows.h"
#include "pollen/archive.h"
#include "pollen/data.h"
#include "pollen/model.h"
#include "pollen/scores.h"

namespace pollen::sink {

struct Score {
  std::string name;
  double value = 0;
};
using Scores = std::vector<Score>;

// accuracy, ece, brier, nnll, or rmse, nnll; none for gaussian.
std::vector<std::string> score_names(const ModelSpec& model);

// Of averaged class probabilities: accuracy, ece, brier, nnll.
Scores class_scores(const stats::Predictions& mean, std::span<const double> truth, int ece_bins);

// Of averaged responses: rmse, nnll.
struct ResponseSums {
  double squares = 0, log_density = 0;
  Index rows = 0;
  void add(double error, double density) { squares += error * error, log_density += density, ++rows; }
  Scores scores() const;
};

class Predictive {
 public:
  // `test` outlives this.
  Predictive(const ModelSpec& model, const Table& test);

  bool applies() const { return test_ != nullptr; }  // the model predicts, and there are rows to predict
  Index states() const { return states_; }
  Index classes() const { return classes_; }  // 0: a regression
  void add(std::span<const double> theta);
  void add_all(ConstPanelView thetas, int threads);  // a column a state

  Scores scores(Index first, Index last, int ece_bins) const;  // of test rows first .. last-1; NaN before any state
  Scores scores(int ece_bins) const;                           // of all
  std::vector<double> probabilities() const;                   // rows × classes, row-major
  void archive(Archive& archive);

 private:
  void hold_rows();
  void add_rows(std::span<const double> theta, Index first, Index last, Index states_before, Scratch& scratch);
  Scores scores_of_classes(Index first, Index last, int ece_bins) const;
  Scores scores_of_responses(Index first, Index last) const;

  const ModelSpec* model_;
  const Table* test_ = nullptr;
  std::unique_ptr<const PredictedRows> rows_;  // from the first state on
  Index classes_ = 0;                          // 0: a regression
  std::vector<double> sum_;                    // rows × classes probabilities, or rows mean responses
  std::vector<double> log_density_;            // regressions: log of the summed density of each row
  Index states_ = 0;
  Scratch scratch_;
};

inline constexpr Index kPredictiveDraws = 1000;  // of a run, over all chains, that are averaged

// Hands states on to a predictive, so many at a time that threads are worth while and memory stays small.
class PredictiveFeed {
 public:
  PredictiveFeed(Predictive& predictive, Index dimension, int threads);
  std::span<double> next();  // where to put the next state
  void finish();             // after the last

 private:
  Predictive* predictive_;
  int threads_;
  Panel states_;
  Index filled_ = 0;
};

}  // namespace pollen::sink
