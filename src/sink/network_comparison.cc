#include "sink/network_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "sink/text.h"

namespace pollen::sink {

namespace {

Predictive averaged(const DrawStream& draws, const ModelSpec& model, const Table& test, int threads) {
  Predictive predictive(model, test);
  PredictiveFeed feed(predictive, draws.dimension(), threads);
  draws.thinned(kPredictiveDraws,
                [&](std::span<const double> theta) { std::ranges::copy(theta, feed.next().begin()); });
  feed.finish();
  return predictive;
}

}  // namespace

ComparedNetworks compare_networks(const DrawStream& draws, const DrawStream& reference, const ModelSpec& model,
                                  const Table& test, int ece_bins, int threads) {
  const Predictive ours = averaged(draws, model, test, threads), theirs = averaged(reference, model, test, threads);
  return {ours.scores(ece_bins), theirs.scores(ece_bins), ours.states(), theirs.states(), compared(ours, theirs)};
}

std::string network_report(const ComparedNetworks& c) {
  TextTable table({"score", "run", "reference"});
  for (std::size_t i = 0; i < c.ours.size(); ++i)
    table.row({c.ours[i].name, fmt::format("{:.4f}", c.ours[i].value), fmt::format("{:.4f}", c.theirs[i].value)});
  return table.text() + '\n' +
         fmt::format("  averaged over {} and {} draws; a network's units can change places: weights are not compared\n",
                     c.draws, c.reference_draws) +
         predictives_line(c.predictives);
}

}  // namespace pollen::sink
