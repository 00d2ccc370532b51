// The averaged predictive distribution on test rows, and its scores. States are added one by one and only sums are
// kept.
//
// For classifiers p̄(c | x) is the mean over states of p(c | x, θ). For linear and poisson it is the mean response and
// the log of the averaged density (log-sum-exp). Not thread-safe; add_all spreads fixed blocks of rows over threads,
// with the same result for any number of them.
#pragma once

#include <cmath>
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

// Returns accuracy, ece, brier, nnll for classifiers, rmse, nnll for regressions, and nothing for gaussian.
std::vector<std::string> score_names(const ModelSpec& model);

// Scores averaged class probabilities: accuracy, ece, brier, nnll.
Scores class_scores(const stats::Predictions& mean, std::span<const double> truth, int ece_bins);

// Scores averaged responses: rmse, nnll.
struct ResponseSums {
  double squares = 0, log_density = 0;
  Index rows = 0;
  void add(double error, double density) { squares += error * error, log_density += density, ++rows; }
  Scores scores() const;
};

class Predictive {
 public:
  // `test` must outlive this object.
  Predictive(const ModelSpec& model, const Table& test);

  // True if the model predicts and there are rows to predict.
  bool applies() const { return test_ != nullptr; }
  Index states() const { return states_; }
  Index classes() const { return classes_; }  // 0 for a regression
  void add(std::span<const double> theta);
  void add_all(ConstPanelView thetas, int threads);  // one column per state
  void add(const Predictive& other);                 // all states of another one with the same model and rows
  void restart();                                    // forgets all states

  // Scores of test rows first .. last-1; NaN before any state was added.
  Scores scores(Index first, Index last, int ece_bins) const;
  Scores scores(int ece_bins) const;          // scores of all test rows
  std::vector<double> probabilities() const;  // rows × classes, row-major
  // Regressions: the mean response of a row, and the logarithm of its averaged density.
  double mean(std::size_t row) const { return sum_[row] / static_cast<double>(states_); }
  double log_density(std::size_t row) const { return log_density_[row] - std::log(static_cast<double>(states_)); }
  void archive(Archive& archive);

 private:
  void hold_rows();
  void add_rows(std::span<const double> theta, Index first, Index last, Index states_before, Scratch& scratch);
  Scores scores_of_classes(Index first, Index last, int ece_bins) const;
  Scores scores_of_responses(Index first, Index last) const;

  const ModelSpec* model_;
  const Table* test_ = nullptr;
  std::unique_ptr<const PredictedRows> rows_;  // set by the first state
  Index classes_ = 0;                          // 0 for a regression
  std::vector<double> sum_;                    // rows × classes probabilities, or one mean response per row
  std::vector<double> log_density_;            // regressions: log of the summed density per row
  Index states_ = 0;
  Scratch scratch_;
};

// Limit of the draws of a run, over all chains, that are averaged.
inline constexpr Index kPredictiveDraws = 1000;

}  // namespace pollen::sink
