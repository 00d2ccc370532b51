// Scores of the probability of one event: how well it orders rows, and whether it happens as often as predicted.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pollen/scores.h"
#include "ranks.h"

namespace pollen::stats {
namespace {

constexpr double kNormal95 = 1.6448536269514722;  // the 95 % quantile of the standard normal

std::vector<double> those_with(std::span<const double> values, std::span<const double> truth, double wanted) {
  std::vector<double> some;
  for (std::size_t r = 0; r < values.size(); ++r)
    if (truth[r] == wanted) some.push_back(values[r]);
  return some;
}

double logit(double p) { return std::log(p / (1 - p)); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

// With midranks of the m rows with the event, among all and among themselves, DeLong et al. (1988) have for each of
// them the share of rows without it that lie below: (rank among all - rank among its own)/n. The variance of the area
// is that of these shares over m, plus the same for the other n rows.
AucEstimate auc(std::span<const double> probabilities, std::span<const double> truth) {
  const std::vector<double> with = those_with(probabilities, truth, 1), without = those_with(probabilities, truth, 0);
  AucEstimate out{kNaN, kNaN, kNaN, static_cast<Index>(truth.size()), static_cast<Index>(with.size())};
  if (with.empty() || without.empty() || std::ranges::any_of(probabilities, [](double p) { return std::isnan(p); }))
    return out;
  const auto m = static_cast<double>(with.size()), n = static_cast<double>(without.size());
  std::vector<double> both = with;
  both.insert(both.end(), without.begin(), without.end());
  const std::vector<double> among_all = average_ranks(both), in_with = average_ranks(with),
                            in_without = average_ranks(without);
  std::vector<double> below(with.size()), above(without.size());
  for (std::size_t i = 0; i < below.size(); ++i) below[i] = (among_all[i] - in_with[i]) / n;
  for (std::size_t j = 0; j < above.size(); ++j) above[j] = 1 - (among_all[with.size() + j] - in_without[j]) / m;
  out.value = mean(below);
  if (!(out.value > 0 && out.value < 1) || with.size() < 2 || without.size() < 2) return out;
  const double error = std::sqrt(variance(below) / m + variance(above) / n);
  const double reach = kNormal95 * error / (out.value * (1 - out.value));
  out.lower = logistic(logit(out.value) - reach);
  out.upper = logistic(logit(out.value) + reach);
  return out;
}

std::vector<CalibrationGroup> calibration(std::span<const double> probabilities, std::span<const double> truth,
                                          int bins) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t r) { return probabilities[r]; });
  const auto groups = static_cast<std::size_t>(std::max(1, bins));
  std::vector<CalibrationGroup> out;
  for (std::size_t g = 0, first = 0; g < groups && first < order.size(); ++g) {
    std::size_t end = std::max(first, (g + 1) * order.size() / groups);
    while (end > first && end < order.size() && probabilities[order[end]] == probabilities[order[end - 1]]) ++end;
    if (end == first) continue;
    CalibrationGroup group;
    group.rows = static_cast<Index>(end - first);
    const auto n = static_cast<double>(end - first), z2 = kNormal95 * kNormal95;
    for (; first < end; ++first) {
      group.predicted += probabilities[order[first]] / n;
      group.observed += truth[order[first]] / n;
    }
    const double centre = (group.observed + z2 / (2 * n)) / (1 + z2 / n);
    const double reach =
        kNormal95 / (1 + z2 / n) * std::sqrt(group.observed * (1 - group.observed) / n + z2 / (4 * n * n));
    group.lower = std::max(0.0, centre - reach);
    group.upper = std::min(1.0, centre + reach);
    out.push_back(group);
  }
  return out;
}

}  // namespace pollen::stats
