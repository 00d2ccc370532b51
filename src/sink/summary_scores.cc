#include <algorithm>

#include "summary.h"

namespace pollen::sink {

namespace {

constexpr Index kMostDraws = 1000;  // over all chains
constexpr Index kAtOnce = 64;       // draws in memory

// Evenly spaced draws, the same ones of every chain, the last one among them.
std::vector<std::int64_t> spaced(std::int64_t draws, Index chains) {
  const std::int64_t count = std::clamp<std::int64_t>(kMostDraws / chains, 1, draws);
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 1; i <= count; ++i) chosen.push_back(i * draws / count - 1);
  return chosen;
}

void add_draws(Predictive& predictive, const SpoolReader& spool, int threads) {
  const Index dimension = spool.shape().dimension, chains = spool.shape().chains;
  Panel states(dimension, kAtOnce);
  Index filled = 0, used = 0;
  const auto pass_on = [&] {
    predictive.add_all({states.view().data, states.rows(), filled, states.stride()}, threads);
    filled = 0;
  };
  for (const std::int64_t draw : spaced(spool.draws(), chains))
    for (Index c = 0; c < chains && used < kMostDraws; ++c, ++used) {
      spool.draw(draw, c, states.column(filled++));
      if (filled == kAtOnce) pass_on();
    }
  if (filled > 0) pass_on();
}

}  // namespace

void add_scores(Summary& summary, const SpoolReader& spool, const ModelSpec& model, const Federation& data,
                int threads) {
  Predictive averaged(model, data.test);
  if (!averaged.applies() || spool.draws() == 0) return;
  add_draws(averaged, spool, threads);
  const int bins = summary.facts.ece_bins;
  summary.metrics = averaged.scores(bins);
  if (model.classifies()) {
    std::vector<double> mean;
    for (const auto& parameter : summary.parameters) mean.push_back(parameter.mean);
    Predictive at_mean(model, data.test);
    at_mean.add(mean);
    summary.metrics.insert(summary.metrics.begin() + 1, {"accuracy_mean", at_mean.scores(bins).front().value});
  }
  for (Index i = 0; i < data.clients(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index first = data.test_begin[at], last = data.test_begin[at + 1];
    summary.clients.push_back(
        {data.client_names[at], data.train_rows(i), last - first, averaged.scores(first, last, bins)});
  }
}

}  // namespace pollen::sink
