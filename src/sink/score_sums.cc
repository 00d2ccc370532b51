#include "sink/score_sums.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "numbers.h"

namespace pollen::sink {

namespace {

constexpr std::array kConfidences = {0.,   0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.45, 0.5,
                                     0.55, 0.6,  0.65, 0.7,  0.75, 0.8,  0.85, 0.9,  0.95, 0.99};

// Calls `visit` for every number of the sums, in the order of a message.
template <class Sums, class Visit>
void each_sum(Sums& sums, const Visit& visit) {
  for (auto* number : {&sums.rows, &sums.right, &sums.squares, &sums.log_density}) visit(*number);
  for (auto& bin : sums.bins) visit(bin.rows), visit(bin.confidence), visit(bin.right);
  for (auto& range : sums.above) visit(range.rows), visit(range.right);
}

void add_range(const ScoreSums::Range& more, ScoreSums::Range& to) {
  to.rows += more.rows, to.confidence += more.confidence, to.right += more.right;
}

}  // namespace

std::span<const double> confidence_thresholds() { return kConfidences; }

Index counted(double rows) { return static_cast<Index>(std::clamp(rows, 0.0, 0x1p53)); }

int score_bins(const ModelSpec& model, int ece_bins) { return model.classifies() ? ece_bins : 0; }

void ScoreSums::add(double y, std::span<const double> mean, double density, bool classes) {
  double misses = 0;
  for (std::size_t c = 0; c < mean.size(); ++c) {
    const double miss = (mean.size() == 1 ? y : static_cast<double>(static_cast<double>(c) == y)) - mean[c];
    misses += miss * miss;
  }
  squares += classes && mean.size() == 1 ? 2 * misses : misses;  // over both classes
  const auto best = static_cast<double>(std::ranges::max_element(mean) - mean.begin());
  right += (mean.size() == 1 ? (mean[0] > 0.5) == (y > 0.5) : best == y) ? 1 : 0;
  log_density += density;
  ++rows;
}

void ScoreSums::add(const ScoreSums& other) {
  rows += other.rows, right += other.right, squares += other.squares, log_density += other.log_density;
  for (std::size_t j = 0; j < bins.size(); ++j) add_range(other.bins[j], bins[j]);
  for (std::size_t j = 0; j < above.size(); ++j) add_range(other.above[j], above[j]);
}

Scores ScoreSums::scores(bool classes) const {
  if (!classes) return {{"rmse", std::sqrt(squares / rows)}, {"nnll", -log_density / rows}};
  Scores out = {{"accuracy", right / rows}};
  double apart = 0;
  for (const Range& bin : bins) apart += std::abs(bin.right - bin.confidence);
  if (!bins.empty()) out.push_back({"ece", apart / rows});
  out.push_back({"brier", squares / rows});
  out.push_back({"nnll", -log_density / rows});
  return out;
}

Index ScoreSums::numbers(int bins) {
  return 4 + (bins > 0 ? 3 * Index{bins} + 2 * static_cast<Index>(kConfidences.size()) : 0);
}

void ScoreSums::write(std::span<double> out) const {
  std::size_t next = 0;
  each_sum(*this, [&](double number) { out[next++] = number; });
}

ScoreSums ScoreSums::read(std::span<const double> from, int bins) {
  ScoreSums sums;
  sums.bins.resize(static_cast<std::size_t>(bins));
  if (bins > 0) sums.above.resize(kConfidences.size());
  std::size_t next = 0;
  each_sum(sums, [&](double& number) { number = from[next++]; });
  return sums;
}

ScoreSums sums_of(const Predictive& averaged, const Table& rows, int bins) {
  ScoreSums sums;
  const auto n = static_cast<std::size_t>(rows.rows);
  if (averaged.classes() == 0) {
    for (std::size_t r = 0; r < n; ++r) {
      const double mean = averaged.mean(r);
      sums.add(rows.y[r], {&mean, 1}, averaged.log_density(r), false);
    }
    return sums;
  }
  const std::vector<double> p = averaged.probabilities();
  const stats::Predictions mean{p, averaged.classes()};
  const std::span<const double> truth(rows.y.data(), n);
  const auto classes = static_cast<std::size_t>(mean.classes);
  for (std::size_t r = 0; r < n; ++r) {
    const auto row = std::span(p).subspan(r * classes, classes);
    sums.add(truth[r], row, std::log(row[static_cast<std::size_t>(truth[r])]), true);
  }
  for (const stats::ReliabilityBin& bin : stats::reliability(mean, truth, bins)) {
    const auto count = static_cast<double>(bin.count);
    sums.bins.push_back({count, count * bin.confidence, std::round(count * bin.accuracy)});
  }
  for (const stats::ConfidencePoint& point : stats::confidence_curve(mean, truth, kConfidences)) {
    const auto count = static_cast<double>(point.count);
    sums.above.push_back({count, 0, point.count > 0 ? std::round(count * point.accuracy) : 0});
  }
  return sums;
}

}  // namespace pollen::sink
