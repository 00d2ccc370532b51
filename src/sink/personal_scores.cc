#include "personal_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numbers.h"

namespace pollen::sink {

namespace {

// Sums over the test rows of one client, or of all clients.
struct RowSums {
  double squares = 0, right = 0, log_density = 0;
  Index rows = 0;

  // Adds a row. `mean` is the mean of the response, P(1), or the class probabilities.
  void add(double y, std::span<const double> mean, double density) {
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const double miss = (mean.size() == 1 ? y : static_cast<double>(static_cast<double>(c) == y)) - mean[c];
      squares += miss * miss;
    }
    const auto best = static_cast<double>(std::ranges::max_element(mean) - mean.begin());
    right += (mean.size() == 1 ? (mean[0] > 0.5) == (y > 0.5) : best == y) ? 1 : 0;
    log_density += density;
    ++rows;
  }
  Scores scores(bool classes, Index outputs) const {
    const auto n = static_cast<double>(rows);
    const double brier = outputs == 1 ? 2 * squares : squares;  // the sum over both classes
    if (classes) return {{"accuracy", right / n}, {"brier", brier / n}, {"nnll", -log_density / n}};
    return {{"rmse", std::sqrt(squares / n)}, {"nnll", -log_density / n}};
  }
};

// Adds the 10 %, 50 % and 90 % quantiles of the first score over clients with test rows.
void add_spread(Summary& summary) {
  std::vector<double> values;
  std::string name;
  for (const ClientScores& client : summary.clients) {
    if (client.test_rows == 0) continue;
    name = client.scores.front().name;
    values.push_back(client.scores.front().value);
  }
  if (values.empty()) return;
  for (const int percent : {10, 50, 90})
    summary.metrics.push_back({fmt::format("{}_client_q{}", name, percent), stats::quantile(values, percent / 100.0)});
}

// Fills summary.clients, and what is known of the probability of an event. Returns the sums over all clients.
RowSums sums_of_clients(Summary& summary, const Experiment& experiment, const PredictedTargets& targets,
                        const std::vector<OwnDraws>& drawn) {
  const Federation& data = experiment.data();
  const PersonalResults& personal = *experiment.personal();
  const auto outputs = at(personal.outputs());
  RowSums all;
  std::vector<double> event;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    RowSums sums;
    for (std::size_t r = 0; r < drawn[i].log_density.size(); ++r) {
      const double y = targets.rows.rows.y[at(targets.begin[i]) + r];
      const auto mean = std::span(drawn[i].mean).subspan(r * outputs, outputs);
      sums.add(y, mean, drawn[i].log_density[r]);
      all.add(y, mean, drawn[i].log_density[r]);
      if (targets.groups.size() == 2) event.push_back(mean.back());
    }
    const bool tested = sums.rows > 0 && !targets.rows.training;
    ClientScores scores{data.client_names[i], data.train_rows(static_cast<Index>(i)), tested ? sums.rows : 0, {}};
    if (tested) scores.scores = sums.scores(personal.predicts_classes(), personal.outputs());
    summary.clients.push_back(scores);
  }
  if (personal.predicts_classes() && !event.empty()) add_event_scores(summary, event, targets.rows.rows.y);
  return all;
}

// Compares the clients' rows with what the model makes at the estimates. Clients are independent there, so that sums
// over them have the sum of their variances.
void add_personal_check(Summary& summary, const Experiment& experiment, const PredictedTargets& targets,
                        const std::vector<OwnDraws>& drawn) {
  const PersonalResults& personal = *experiment.personal();
  if (personal.is_baseline()) {
    summary.check.words = "No predictive check is made: a baseline has a point for every client, no posterior.";
    return;
  }
  const TargetGroups& groups = targets.groups;
  const std::size_t many = groups.size(), each = groups.per_client();
  const std::size_t compared = checked_clients(groups, drawn.size());
  ReplicatedSums sums{std::vector<double>(many + compared * each), std::vector<double>(many + compared * each)};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const OwnSums& own = drawn[i].sums;
    for (std::size_t g = 0; g < many; ++g) sums.mean[g] += own.mean[g], sums.variance[g] += own.variance[g];
    const std::size_t first = each > 1 ? 0 : own.mean.size() - 1;  // the mean stands last, or the second class
    for (std::size_t c = 0; c < each && i < compared; ++c) {
      sums.mean[many + i * each + c] = own.mean[first + c];
      sums.variance[many + i * each + c] = own.variance[first + c];
    }
  }
  summary.check =
      compare_with_data(groups, targets.rows, experiment.data().client_names, sums, drawn.front().sums.draws);
}

}  // namespace

PredictedTargets targets_of(const Experiment& experiment, Index clients, bool training) {
  const Federation& data = experiment.data();
  const PersonalResults& personal = *experiment.personal();
  PredictedTargets out;
  const bool here = data.train.rows == data.train_begin.back() && data.train.rows > 0;
  out.rows.training = data.test.rows == 0 && training && here;
  const Table& from = out.rows.training ? data.train : data.test;
  const std::vector<Index>& begin = out.rows.training ? data.train_begin : data.test_begin;
  out.begin.assign(begin.begin(), begin.begin() + clients + 1);
  out.rows.rows.rows = out.begin.back();
  out.rows.in_all = from.rows;
  out.rows.rows.y = from.y.part(0, at(out.begin.back()));
  for (Index i = 0; i < clients; ++i) out.rows.client.resize(at(out.begin[at(i + 1)]), i);
  if (personal.predicts_classes()) {
    std::vector<std::string> names = data.class_names;
    for (std::size_t c = names.size(); c < std::max<std::size_t>(2, at(personal.outputs())); ++c)
      names.push_back(std::to_string(c));
    out.groups = TargetGroups::of_classes(names);
  } else if (out.rows.any()) {
    out.groups = TargetGroups::of_numbers(out.rows.rows.y, false);
  }
  return out;
}

void score_clients(Summary& summary, const Experiment& experiment, const PredictedTargets& targets,
                   const std::vector<OwnDraws>& drawn) {
  const PersonalResults& personal = *experiment.personal();
  const RowSums all = sums_of_clients(summary, experiment, targets, drawn);
  if (all.rows == 0) {
    summary.check.words = "No predictive check is made: there are no rows to predict.";
    return;
  }
  summary.scored = {targets.rows.training, all.rows, targets.rows.in_all};
  summary.metrics = all.scores(personal.predicts_classes(), personal.outputs());
  add_spread(summary);
  add_personal_check(summary, experiment, targets, drawn);
}

}  // namespace pollen::sink
