#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include "parameter_plots.h"
#include "report/live_json.h"

namespace pollen::report {

namespace {

constexpr std::size_t kLeastDraws = 8;
constexpr auto kEvery = std::chrono::milliseconds(500);
// A look that takes t seconds of processor is repeated after at least 50 t, which is two percent of one core.
constexpr int kShare = 50;
constexpr PlotBudget kBudget{60'000, 260'000};

sink::DrawSet draws_of(const sink::History& trace, const sink::LivePlan& plan) {
  sink::DrawSet draws;
  draws.chains = plan.facts.chains;
  draws.length = static_cast<Index>(trace.rows());
  draws.coupled = plan.facts.coupled;
  const auto chains = static_cast<std::size_t>(draws.chains);
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    std::vector<double> values;
    values.reserve(trace.rows() * chains);
    for (std::size_t c = 0; c < chains; ++c)
      for (std::size_t i = 0; i < trace.rows(); ++i) values.push_back(trace.row(i)[p * chains + c]);
    draws.values.push_back(std::move(values));
  }
  return draws;
}

Json plots_of(const sink::DrawSet& draws, const sink::History& trace) {
  std::vector<std::size_t> all(draws.values.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Json plots = parameter_plots(draws, all, all, kBudget, 1);
  plots["draws"] = trace.offered();
  plots["every"] = plots["every"].get<std::int64_t>() * trace.every();
  return plots;
}

// Returns the processor time of this thread. On a busy machine wall-clock time says little about work.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

void LiveFindings::look(const sink::LiveState& state, const sink::LivePlan& plan) {
  if (Clock::now() < due_) return;
  const auto start = processor_time();
  look_again(state, plan);
  due_ = Clock::now() + std::max<Clock::duration>(kEvery, (processor_time() - start) * kShare);
}

void LiveFindings::look_again(const sink::LiveState& state, const sink::LivePlan& plan) {
  if (state.trace.offered() == seen_ || state.trace.rows() < kLeastDraws) return;
  seen_ = state.trace.offered();
  draws_ = state.trace.rows();
  const sink::DrawSet draws = draws_of(state.trace, plan);
  parameters_.clear();
  double rhat = std::nan(""), ess = std::nan("");
  for (Index p = 0; p < std::ssize(plan.parameters); ++p) {
    parameters_.push_back(stats::summarize(draws.of(p), plan.facts.coupled));
    const stats::ParameterSummary& s = parameters_.back();
    if (std::isfinite(s.rhat) && !(s.rhat <= rhat)) rhat = s.rhat;
    if (std::isfinite(s.ess_bulk) && !(s.ess_bulk >= ess)) ess = s.ess_bulk;
  }
  plots_ = plots_of(draws, state.trace);
  const std::span<double> row = over_time_.offer();
  if (row.empty()) return;
  row[0] = static_cast<double>(state.iteration);
  row[1] = rhat;
  row[2] = ess;
}

}  // namespace pollen::report
