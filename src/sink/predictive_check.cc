#include "sink/predictive_check.h"

#include <algorithm>

#include "model/predicted_rows.h"
#include "model/units.h"
#include "numbers.h"
#include "sink/parallel.h"

namespace pollen::sink {

namespace {

// Adds up means and variances over the rows at one draw.
class SumsAtDraw {
 public:
  SumsAtDraw(const TargetGroups& groups, const ScoredRows& rows, std::size_t clients)
      : groups_(groups),
        rows_(rows),
        clients_(clients),
        mean_(groups.size() + clients * groups.per_client()),
        variance_(mean_.size()) {}

  void classes(std::size_t row, std::span<const double> p) {
    const std::size_t each = groups_.per_client();
    for (std::size_t c = 0; c < p.size(); ++c) event(c, p[c]);
    if (!counted(row)) return;
    for (std::size_t c = 0; c < each; ++c) event(place(row) + c, p[each > 1 ? c : 1]);
  }
  // `below` has the distribution function at the groups' upper ends.
  void number(std::size_t row, double mean, double sd, std::span<const double> below) {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      event(g, (g < below.size() ? below[g] : 1) - (g > 0 ? below[g - 1] : 0));
    if (counted(row)) add(place(row), mean, sd * sd);
  }
  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& variance() const { return variance_; }

 private:
  bool counted(std::size_t row) const {
    return rows_.client[row] >= 0 && static_cast<std::size_t>(rows_.client[row]) < clients_;
  }
  std::size_t place(std::size_t row) const {
    return groups_.size() + static_cast<std::size_t>(rows_.client[row]) * groups_.per_client();
  }
  void event(std::size_t k, double p) { add(k, p, std::max(0.0, p * (1 - p))); }
  void add(std::size_t k, double mean, double variance) { mean_[k] += mean, variance_[k] += variance; }

  const TargetGroups& groups_;
  const ScoredRows& rows_;
  std::size_t clients_;
  std::vector<double> mean_, variance_;
};

std::vector<std::string> names_of_classes(const ModelSpec& model) {
  std::vector<std::string> names = model.class_names;
  for (std::size_t c = names.size(); c < at(model.outcomes()); ++c) names.push_back(std::to_string(c));
  return names;
}

void add_rows_at(const ModelSpec& model, const PredictedRows& held, const ScoredRows& rows, const TargetGroups& groups,
                 std::span<const double> theta, SumsAtDraw& sums) {
  Scratch scratch;
  const Index count = rows.rows.rows, classes = model.outcomes();
  if (classes > 0) {
    std::vector<double> p(at(count * classes));
    held.class_probabilities(theta, 0, count, p, scratch);
    for (Index r = 0; r < count; ++r) sums.classes(at(r), std::span(p).subspan(at(r * classes), at(classes)));
    return;
  }
  std::vector<double> mean(at(count)), sd(mean.size()), below(groups.edges().size());
  model.family->response(model, theta, rows.rows.view(), mean, sd, scratch);
  for (std::size_t r = 0; r < mean.size(); ++r) {
    model.family->distribution(model, mean[r], sd[r], groups.edges(), below);
    sums.number(r, mean[r], sd[r], below);
  }
}

}  // namespace

PredictiveCheck check_predictions(const ModelSpec& model, const ScoredRows& rows, const ClientNames& names,
                                  ConstPanelView states, int threads) {
  const TargetGroups groups =
      model.classifies() ? TargetGroups::of_classes(names_of_classes(model))
                         : TargetGroups::of_numbers(rows.rows.y, model.family->target(model) == TargetKind::count);
  const std::size_t clients = checked_clients(groups, names.size());
  const PredictedRows held(model, rows.rows.view());
  const Panel thetas = internal_coefficients(model, states);
  std::vector<SumsAtDraw> all(at(thetas.columns()), SumsAtDraw(groups, rows, clients));
  for_each_index(thetas.columns(), threads,
                 [&](Index s) { add_rows_at(model, held, rows, groups, thetas.column(s), all[at(s)]); });
  stats::Replicates replicates(groups.size() + clients * groups.per_client());
  for (const SumsAtDraw& one : all) replicates.add(one.mean(), one.variance());
  ReplicatedSums sums;
  for (std::size_t k = 0; k < replicates.groups(); ++k) {
    sums.mean.push_back(replicates.mean(k));
    sums.variance.push_back(replicates.variance(k));
  }
  return compare_with_data(groups, rows, names, sums, thetas.columns());
}

}  // namespace pollen::sink
