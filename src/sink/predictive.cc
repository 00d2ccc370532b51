#include "sink/predictive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/units.h"
#include "numbers.h"
#include "sink/parallel.h"

namespace pollen::sink {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
constexpr Index kBlock = 512;  // rows per block; fixed, so that sums do not depend on the number of threads

}  // namespace

std::vector<std::string> score_names(const ModelSpec& model) {
  if (!model.predicts()) return {};
  if (model.classifies()) return {"accuracy", "ece", "brier", "nnll"};
  return {"rmse", "nnll"};
}

Predictive::Predictive(const ModelSpec& model, const Table& test) : model_(&model) {
  if (test.rows == 0 || score_names(model).empty()) return;
  test_ = &test;
  classes_ = model.outcomes();
  sum_.assign(at(test.rows * std::max<Index>(1, classes_)), 0.0);
  if (classes_ == 0) log_density_.assign(at(test.rows), kNothing);
}

void Predictive::add_rows(std::span<const double> theta, Index first, Index last, Index states_before,
                          Scratch& scratch) {
  const Index rows = last - first, width = std::max<Index>(1, classes_);
  Scratch::Frame frame(scratch);
  const std::span<double> now = scratch.take<double>(rows * width);
  double* const sum = sum_.data() + first * width;
  if (classes_ > 0) {
    rows_->class_probabilities(theta, first, rows, now, scratch);
    for (std::size_t i = 0; i < now.size(); ++i) sum[i] += now[i];
    return;
  }
  const RowsView x = test_->view().slice(first, rows);
  const std::span<double> other = scratch.take<double>(rows);
  model_->family->response(*model_, theta, x, now, other, scratch);
  for (std::size_t i = 0; i < now.size(); ++i) sum[i] += now[i];
  model_->family->log_likelihood(*model_, theta, {x, test_->y.data() + first}, other, scratch);
  double* const density = log_density_.data() + first;
  for (std::size_t i = 0; i < other.size(); ++i)
    density[i] = states_before == 0 ? other[i] : log_add(density[i], other[i]);
}

void Predictive::hold_rows() {
  if (!rows_) rows_ = std::make_unique<PredictedRows>(*model_, test_->view());
}

void Predictive::add(std::span<const double> reported) {
  hold_rows();
  const Panel internal =
      internal_coefficients(*model_, {reported.data(), std::ssize(reported), 1, std::ssize(reported)});
  const std::span<const double> theta = internal.column(0);
  // A network takes all rows at once, so that θ goes to its device once.
  const Index block = model_->is_network() ? test_->rows : kBlock;
  for (Index first = 0; first < test_->rows; first += block)
    add_rows(theta, first, std::min(first + block, test_->rows), states_, scratch_);
  ++states_;
}

void Predictive::add_all(ConstPanelView reported, int threads) {
  hold_rows();
  const Panel thetas = internal_coefficients(*model_, reported);
  for_each_index((test_->rows + kBlock - 1) / kBlock, threads, [&](Index block) {
    Scratch scratch;
    const Index first = block * kBlock, last = std::min(first + kBlock, test_->rows);
    for (Index s = 0; s < thetas.columns(); ++s) add_rows(thetas.column(s), first, last, states_ + s, scratch);
  });
  states_ += thetas.columns();
}

void Predictive::add(const Predictive& other) {
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += other.sum_[i];
  for (std::size_t i = 0; i < log_density_.size(); ++i)
    log_density_[i] = log_add(log_density_[i], other.log_density_[i]);
  states_ += other.states_;
}

void Predictive::restart() {
  std::ranges::fill(sum_, 0.0);
  std::ranges::fill(log_density_, kNothing);
  states_ = 0;
}

std::vector<double> Predictive::probabilities() const {
  std::vector<double> mean(sum_);
  for (double& p : mean) p /= static_cast<double>(states_);
  return mean;
}

Scores class_scores(const stats::Predictions& mean, std::span<const double> truth, int ece_bins) {
  return {{"accuracy", stats::accuracy(mean, truth)},
          {"ece", stats::ece(mean, truth, ece_bins)},
          {"brier", stats::brier(mean, truth)},
          {"nnll", stats::nnll(mean, truth)}};
}

Scores ResponseSums::scores() const {
  const auto n = static_cast<double>(rows);
  return {{"rmse", std::sqrt(squares / n)}, {"nnll", -log_density / n}};
}

Scores Predictive::scores_of_classes(Index first, Index last, int ece_bins) const {
  std::vector<double> mean(sum_.begin() + first * classes_, sum_.begin() + last * classes_);
  for (double& p : mean) p /= static_cast<double>(states_);
  return class_scores({mean, classes_}, {test_->y.data() + first, at(last - first)}, ece_bins);
}

Scores Predictive::scores_of_responses(Index first, Index last) const {
  ResponseSums sums;
  for (std::size_t i = at(first); i < at(last); ++i) sums.add(mean(i) - test_->y[i], log_density(i));
  return sums.scores();
}

Scores Predictive::scores(Index first, Index last, int ece_bins) const {
  if (states_ > 0 && first < last)
    return classes_ > 0 ? scores_of_classes(first, last, ece_bins) : scores_of_responses(first, last);
  Scores none;
  for (std::string& name : score_names(*model_)) none.push_back({std::move(name), kUnknown});
  return none;
}

Scores Predictive::scores(int ece_bins) const {
  if (!applies()) return {};
  return scores(0, test_->rows, ece_bins);
}

void Predictive::archive(Archive& archive) {
  archive.field(states_);
  archive.array(std::span<double>(sum_));
  archive.array(std::span<double>(log_density_));
}

}  // namespace pollen::sink
