// The scores of a federation, from sums that its clients compute over their own test rows.
#include <algorithm>
#include <cmath>

#include "numbers.h"
#include "run/experiment.h"
#include "sink/score_sums.h"
#include "sink/summary.h"
#include "spaced_draws.h"

namespace pollen::sink {

namespace {

// The states that clients are sent take at most so many bytes.
constexpr Index kMostBytes = Index{32} << 20;

Panel chosen_states(const SpoolReader& spool) {
  const Index d = spool.shape().dimension;
  const Index most = std::clamp<Index>(kMostBytes / (8 * d), 1, kPredictiveDraws);
  std::vector<std::pair<std::int64_t, Index>> chosen;
  each_spaced(spool, most, [&](std::int64_t draw, Index chain) { chosen.emplace_back(draw, chain); });
  Panel states(d, std::ssize(chosen));
  for (std::size_t s = 0; s < chosen.size(); ++s)
    spool.draw(chosen[s].first, chosen[s].second, states.column(static_cast<Index>(s)));
  return states;
}

ScoreSums ask(const Experiment& experiment, ConstPanelView states, int bins) {
  Panel sums(ScoreSums::numbers(bins), 1);
  experiment.ask_scores(states, {}, sums);
  return ScoreSums::read(sums.column(0), bins);
}

void add_ranges(Summary& summary, const ScoreSums& sums) {
  const auto bins = static_cast<double>(sums.bins.size());
  for (std::size_t j = 0; j < sums.bins.size(); ++j) {
    const ScoreSums::Range& bin = sums.bins[j];
    stats::ReliabilityBin out{static_cast<double>(j) / bins, static_cast<double>(j + 1) / bins, 0, 0,
                              counted(bin.rows)};
    if (bin.rows > 0) out.confidence = bin.confidence / bin.rows, out.accuracy = bin.right / bin.rows;
    summary.reliability.push_back(out);
  }
  const std::span<const double> thresholds = confidence_thresholds();
  for (std::size_t j = 0; j < sums.above.size(); ++j) {
    const ScoreSums::Range& range = sums.above[j];
    summary.confidence.push_back(
        {thresholds[j], range.rows > 0 ? range.right / range.rows : kUnknown, counted(range.rows)});
  }
}

}  // namespace

void add_site_scores(Summary& summary, const SpoolReader& spool, const Experiment& experiment, RunStatus status) {
  const ModelSpec& model = experiment.model();
  summary.check.words = "No predictive check is made in a federation, whose rows stay with the clients.";
  if (status != RunStatus::complete || spool.draws() == 0 || !model.predicts()) return;
  if (!asks_for_scores(experiment.config())) return;
  const int bins = score_bins(model, summary.facts.ece_bins);
  const ScoreSums sums = ask(experiment, chosen_states(spool), bins);
  const auto rows = counted(sums.rows);
  if (rows == 0) return;
  summary.scored = {false, rows, rows};
  summary.metrics = sums.scores(model.classifies());
  if (!model.classifies()) return;
  Panel mean(experiment.dimension(), 1);
  for (std::size_t j = 0; j < summary.parameters.size(); ++j) mean.column(0)[j] = summary.parameters[j].mean;
  const ScoreSums at_mean = ask(experiment, mean, bins);
  if (at_mean.rows > 0)
    summary.metrics.insert(summary.metrics.begin() + 1, {"accuracy_mean", at_mean.right / at_mean.rows});
  add_ranges(summary, sums);
}

}  // namespace pollen::sink
