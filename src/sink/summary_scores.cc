#include <algorithm>
#include <cmath>

#include "numbers.h"
#include "pollen/scores.h"
#include "sink/score_sums.h"
#include "sink/summary.h"
#include "spaced_draws.h"

namespace pollen::sink {

namespace {

constexpr double kConfident = 0.9;

void add_draws(Predictive& predictive, const SpoolReader& spool, int threads) {
  // The states go to the predictive in groups large enough for threads and small enough for memory.
  constexpr Index kAtOnce = 64;
  Panel states(spool.shape().dimension, kAtOnce);
  Index filled = 0;
  const auto hand_on = [&] {
    if (filled > 0) predictive.add_all({states.view().data, states.rows(), filled, states.stride()}, threads);
    filled = 0;
  };
  each_spaced(spool, kPredictiveDraws, [&](std::int64_t draw, Index chain) {
    spool.draw(draw, chain, states.column(filled++));
    if (filled == kAtOnce) hand_on();
  });
  hand_on();
}

struct Certainty {
  std::vector<double> entropy;  // entropy per row; empty without rows
  double mean = kUnknown;       // mean of the entropies
  double confident = kUnknown;  // share of rows whose predicted class has a probability above kConfident
};

Certainty certainty_of(const stats::Predictions& mean) {
  Certainty certainty;
  if (mean.rows() == 0) return certainty;
  certainty.entropy = stats::entropy(mean);
  double sum = 0, confident = 0;
  for (const double entropy : certainty.entropy) sum += entropy;
  for (auto row = mean.probabilities.begin(); row != mean.probabilities.end(); row += mean.classes)
    confident += *std::max_element(row, row + mean.classes) > kConfident ? 1 : 0;
  const auto rows = static_cast<double>(mean.rows());
  certainty.mean = sum / rows;
  certainty.confident = confident / rows;
  return certainty;
}

// Scores out-of-distribution rows against test rows. A good classifier is less certain about the former.
Scores ood_scores(const stats::Predictions& test, const stats::Predictions& ood) {
  const Certainty in = certainty_of(test), out = certainty_of(ood);
  const stats::DensityRule density =
      stats::density_rule(in.entropy, out.entropy, std::log(static_cast<double>(ood.classes)));
  return {{"entropy_in", in.mean},
          {"entropy_out", out.mean},
          {"auroc", in.entropy.empty() ? kUnknown : stats::auroc(in.entropy, out.entropy)},
          {"confident_in", in.confident},
          {"confident_out", out.confident},
          {"density_in", density.in},
          {"density_out", density.out}};
}

void add_clients(Summary& summary, const Predictive& averaged, const Federation& data) {
  for (Index i = 0; i < data.clients(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index first = data.test_begin[at], last = data.test_begin[at + 1];
    summary.clients.push_back({data.client_names[at], data.train_rows(i), last - first,
                               averaged.scores(first, last, summary.facts.ece_bins)});
  }
}

void add_reliability(Summary& summary, const stats::Predictions& mean, std::span<const double> truth) {
  summary.reliability = stats::reliability(mean, truth, summary.facts.ece_bins);
  summary.confidence = stats::confidence_curve(mean, truth, confidence_thresholds());
  if (mean.classes != 2) return;
  std::vector<double> event;
  for (std::size_t r = 0; r < truth.size(); ++r) event.push_back(mean.probabilities[2 * r + 1]);
  add_event_scores(summary, event, truth);
}

void add_check(Summary& summary, const SpoolReader& spool, const ModelSpec& model, const Federation& data,
               bool training, int threads) {
  const ScoredRows rows = scored_rows(data, training, kCheckedRows);
  if (!rows.any()) {
    summary.check.words =
        "No predictive check is made: there are no test rows, and training rows stay with the clients.";
    return;
  }
  constexpr Index kLeastDraws = 20, kMostNumbers = Index{1} << 24;  // large networks are checked at fewer draws
  const Index chains = spool.shape().chains, dimension = spool.shape().dimension;
  const Index most = std::clamp(kMostNumbers / std::max<Index>(1, dimension), kLeastDraws, kCheckedDraws);
  const std::vector<std::int64_t> chosen = spaced_draws(spool.draws(), chains, most);
  Panel states(dimension, std::min(most, chains * std::ssize(chosen)));
  for (Index s = 0; s < states.columns(); ++s) spool.draw(chosen[at(s / chains)], s % chains, states.column(s));
  const bool compared = !summary.facts.by_label;
  summary.check = check_predictions(model, rows, compared ? data.client_names : ClientNames(), states, threads);
  if (!compared) summary.check.words += " Clients are not compared, because data.partition made them by label.";
}

}  // namespace

void add_accuracy_mean(const ModelSpec& model, const Table& rows,
                       const std::vector<stats::ParameterSummary>& parameters, Scores& scores) {
  std::vector<double> mean;
  for (const stats::ParameterSummary& parameter : parameters) mean.push_back(parameter.mean);
  Predictive at_mean(model, rows);
  at_mean.add(mean);
  scores.insert(scores.begin() + 1, {"accuracy_mean", at_mean.scores(1).front().value});
}

void add_event_scores(Summary& summary, std::span<const double> probabilities, std::span<const double> truth) {
  summary.auc = stats::auc(probabilities, truth);
  summary.calibration = stats::calibration(probabilities, truth);
}

void add_scores(Summary& summary, const SpoolReader& spool, const ModelSpec& model, const Federation& data,
                bool training, int threads) {
  if (!model.predicts()) {
    summary.check.words = "No predictive check is made: the model predicts no target of rows.";
    return;
  }
  if (spool.draws() == 0) return;
  const bool tested = data.test.rows > 0;
  const ScoredRows copied = tested ? ScoredRows() : scored_rows(data, training, kScoredTraining);
  const Table& rows = tested ? data.test : copied.rows;
  Predictive averaged(model, rows);
  std::vector<double> inside;
  if (averaged.applies()) {
    add_draws(averaged, spool, threads);
    summary.scored = {!tested, rows.rows, tested ? rows.rows : copied.in_all};
    summary.metrics = averaged.scores(summary.facts.ece_bins);
    if (tested) add_clients(summary, averaged, data);
  }
  if (averaged.applies() && model.classifies()) {
    add_accuracy_mean(model, rows, summary.parameters, summary.metrics);
    inside = averaged.probabilities();
    add_reliability(summary, {inside, averaged.classes()}, rows.y);
  }
  add_check(summary, spool, model, data, training, threads);
  Predictive ood(model, data.ood);
  if (!model.classifies() || !ood.applies()) return;
  add_draws(ood, spool, threads);
  const std::vector<double> outside = ood.probabilities();
  summary.ood_rows = data.ood.rows;
  summary.ood = ood_scores({inside, ood.classes()}, {outside, ood.classes()});
  summary.ood_above = stats::count_above({outside, ood.classes()}, confidence_thresholds());
}

}  // namespace pollen::sink
