#include "live_diagnostics.h"

#include <algorithm>
#include <cmath>

namespace pollen::sink {

namespace {

constexpr std::size_t kLeastDraws = 8;
constexpr auto kEvery = std::chrono::seconds(1);
constexpr int kShare = 200;  // what takes t is done every 200 t at most: half a percent of one core

}  // namespace

std::vector<double> draws_of(const History& trace, std::size_t p, std::size_t chains, std::size_t step) {
  std::vector<double> values;
  values.reserve((trace.rows() / step + 1) * chains);
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t i = 0; i < trace.rows(); i += step) values.push_back(trace.row(i)[p * chains + c]);
  return values;
}

void LiveDiagnostics::look(const LiveState& state, const LivePlan& plan) {
  const Clock::time_point start = Clock::now();
  if (start < due_ || state.trace.offered() == seen_ || state.trace.rows() < kLeastDraws) return;
  compute(state, plan);
  const Clock::time_point end = Clock::now();
  due_ = end + std::max<Clock::duration>(kEvery, (end - start) * kShare);
}

void LiveDiagnostics::compute(const LiveState& state, const LivePlan& plan) {
  const auto chains = static_cast<std::size_t>(plan.facts.chains);
  seen_ = state.trace.offered();
  draws_ = state.trace.rows();
  parameters_.clear();
  double rhat = std::nan(""), ess = std::nan("");
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    const std::vector<double> values = draws_of(state.trace, p, chains);
    parameters_.push_back(stats::summarize({values, plan.facts.chains}, plan.facts.coupled));
    const stats::ParameterSummary& s = parameters_.back();
    if (!(s.rhat <= rhat) && std::isfinite(s.rhat)) rhat = s.rhat;
    if (!(s.ess_bulk >= ess) && std::isfinite(s.ess_bulk)) ess = s.ess_bulk;
  }
  const std::span<double> row = over_time_.offer();
  if (row.empty()) return;
  row[0] = static_cast<double>(state.iteration);
  row[1] = rhat;
  row[2] = ess;
}

}  // namespace pollen::sink
