#include "personal_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "numbers.h"
#include "sink/score_sums.h"

namespace pollen::sink {

namespace {

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
ScoreSums sums_of_clients(Summary& summary, const Experiment& experiment, const PredictedTargets& targets,
                          const std::vector<OwnDraws>& drawn) {
  const Federation& data = experiment.data();
  const PersonalResults& personal = *experiment.personal();
  const auto outputs = at(personal.outputs());
  ScoreSums all;
  std::vector<double> event;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    ScoreSums sums;
    for (std::size_t r = 0; r < drawn[i].log_density.size(); ++r) {
      const double y = targets.rows.rows.y[at(targets.begin[i]) + r];
      const auto mean = std::span(drawn[i].mean).subspan(r * outputs, outputs);
      sums.add(y, mean, drawn[i].log_density[r], personal.predicts_classes());
      if (targets.groups.size() == 2) event.push_back(mean.back());
    }
    all.add(sums);
    const bool tested = sums.rows > 0 && !targets.rows.training;
    const Index rows = tested ? static_cast<Index>(sums.rows) : 0;
    ClientScores scores{data.client_names[i], data.train_rows(static_cast<Index>(i)), rows, {}};
    if (tested) scores.scores = sums.scores(personal.predicts_classes());
    summary.clients.push_back(scores);
  }
  if (personal.predicts_classes() && !event.empty()) add_event_scores(summary, event, targets.rows.rows.y);
  return all;
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

ClientsSums::ClientsSums(const TargetGroups& groups, std::size_t clients)
    : many_(groups.size()), each_(groups.per_client()), compared_(checked_clients(groups, clients)) {}

void ClientsSums::add(const OwnSums& own) {
  if (mean_.empty()) {
    draws_ = own.draws;
    mean_.resize(own.mean.size());
    variance_.resize(own.variance.size());
  }
  if (!own.mean.empty()) math::add(own.mean, mean_);
  if (!own.variance.empty()) math::add(own.variance, variance_);
  if (added_++ >= compared_) return;
  const std::size_t groups = own.draws > 0 ? own.mean.size() / at(own.draws) : many_;
  stats::Replicates replicates(groups);
  for (std::size_t n = 0; n < at(own.draws); ++n)
    replicates.add(std::span(own.mean).subspan(n * groups, groups),
                   std::span(own.variance).subspan(n * groups, groups));
  const std::size_t first = each_ > 1 ? 0 : groups - 1;  // the mean stands last, or the second class
  for (std::size_t c = 0; c < each_; ++c) {
    own_.mean.push_back(replicates.mean(first + c));
    own_.variance.push_back(replicates.variance(first + c));
  }
}

ReplicatedSums ClientsSums::law() const {
  const std::size_t groups = draws_ > 0 ? mean_.size() / at(draws_) : many_;
  stats::Replicates all(groups);
  for (std::size_t n = 0; n < at(draws_); ++n)
    all.add(std::span(mean_).subspan(n * groups, groups), std::span(variance_).subspan(n * groups, groups));
  ReplicatedSums out;
  for (std::size_t g = 0; g < many_; ++g) {
    out.mean.push_back(all.mean(g));
    out.variance.push_back(all.variance(g));
  }
  out.mean.insert(out.mean.end(), own_.mean.begin(), own_.mean.end());
  out.variance.insert(out.variance.end(), own_.variance.begin(), own_.variance.end());
  return out;
}

void score_clients(Summary& summary, const Experiment& experiment, const PredictedTargets& targets,
                   const std::vector<OwnDraws>& drawn, const ClientsSums& sums) {
  const PersonalResults& personal = *experiment.personal();
  const ScoreSums all = sums_of_clients(summary, experiment, targets, drawn);
  if (all.rows == 0) {
    summary.check.words = "No predictive check is made: there are no rows to predict.";
    return;
  }
  summary.scored = {targets.rows.training, static_cast<Index>(all.rows), targets.rows.in_all};
  summary.metrics = all.scores(personal.predicts_classes());
  add_spread(summary);
  if (personal.is_baseline())
    summary.check.words = "No predictive check is made: a baseline has a point for every client, no posterior.";
  else
    summary.check =
        compare_with_data(targets.groups, targets.rows, experiment.data().client_names, sums.law(), sums.draws());
}

}  // namespace pollen::sink
