#include "sink/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sink/parallel.h"

namespace pollen::sink {

namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{256} << 20;
constexpr std::int64_t kCopies = 16;  // copies of a parameter's draws that ranks, transforms and sorting need, roughly

// Limits the threads so that their memory stays near kBlockBytes however long the run was.
int threads_for(std::int64_t bytes, int threads) {
  return static_cast<int>(
      std::clamp<std::int64_t>(kBlockBytes / std::max<std::int64_t>(1, kCopies * bytes), 1, threads));
}

std::vector<stats::ParameterSummary> summarize_parameters(const SpoolReader& spool, bool coupled, int threads) {
  const Index dimension = spool.shape().dimension, chains = spool.shape().chains;
  const std::int64_t bytes = spool.draws() * chains * static_cast<std::int64_t>(sizeof(double));
  const Index per_block = std::max<Index>(1, static_cast<Index>(kBlockBytes / std::max<std::int64_t>(1, bytes)));
  const auto length = static_cast<std::size_t>(chains * static_cast<Index>(spool.draws()));
  std::vector<stats::ParameterSummary> out(static_cast<std::size_t>(dimension));
  std::vector<double> values;
  for (Index first = 0; first < dimension; first += per_block) {
    const Index count = std::min(per_block, dimension - first);
    spool.parameters(first, count, values);
    for_each_index(count, threads_for(bytes, threads), [&, first, many = chains](Index p) {
      const auto draws = std::span<const double>(values).subspan(static_cast<std::size_t>(p) * length, length);
      out[static_cast<std::size_t>(first + p)] = stats::summarize({draws, many}, coupled);
    });
  }
  return out;
}

std::vector<double> covariance(const SpoolReader& spool, const std::vector<stats::ParameterSummary>& parameters) {
  const std::size_t d = parameters.size();
  std::vector<double> sums(d * d, 0.0), from(d);
  spool.each([&](std::int64_t, std::span<const double> record) {
    for (std::size_t at = 0; at < record.size(); at += spool.shape().width()) {
      for (std::size_t j = 0; j < d; ++j) from[j] = record[at + 1 + j] - parameters[j].mean;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j) sums[i * d + j] += from[i] * from[j];
    }
  });
  const double count = static_cast<double>(spool.draws() * spool.shape().chains) - 1;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) sums[j * d + i] = sums[i * d + j] /= count;
  return sums;
}

// The worst value of one column of the table, and how many values are past the limit.
struct Worst {
  std::size_t count = 0, at = 0;
  double value = 0;
};

template <class Past>
Worst worst_of(const std::vector<stats::ParameterSummary>& parameters, double stats::ParameterSummary::*value,
               Past past) {
  Worst worst;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const double v = parameters[j].*value;
    if (!past(v)) continue;
    if (worst.count++ == 0 || (past(1e300) ? v > worst.value : v < worst.value)) worst.at = j, worst.value = v;
  }
  return worst;
}

Worst highest_rhat(const std::vector<stats::ParameterSummary>& parameters) {
  return worst_of(parameters, &stats::ParameterSummary::rhat, [](double v) { return v > 1.01; });
}

std::string share(std::size_t count, std::size_t all) {
  return count == all && all > 1 ? fmt::format("all {} parameters", all)
                                 : fmt::format("{} of {} parameters", count, all);
}

// Warns about single weights of a network, for which a high R-hat may only mean that units have swapped.
std::string unmixed_units(const std::vector<stats::ParameterSummary>& parameters) {
  const Worst rhat = highest_rhat(parameters);
  if (rhat.count == 0) return "";
  return fmt::format(
      "R-hat above 1.01 for {}: a network's units can change places, so that chains that predict alike differ in their "
      "weights; judge by the scores",
      share(rhat.count, parameters.size()));
}

}  // namespace

std::vector<std::size_t> shown_parameters(const std::vector<stats::ParameterSummary>& parameters, std::size_t most,
                                          std::size_t worst, double unknown) {
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  const auto badness = [&](std::size_t j) { return std::isnan(parameters[j].rhat) ? unknown : parameters[j].rhat; };
  const auto rest = order.begin() + static_cast<std::ptrdiff_t>(most - std::min(worst, most));
  std::ranges::stable_sort(rest, order.end(), std::ranges::greater{}, badness);
  order.resize(most);
  std::ranges::sort(order);
  return order;
}

std::vector<std::string> diagnose(const std::vector<stats::ParameterSummary>& parameters,
                                  const std::vector<std::string>& labels) {
  std::vector<std::string> warnings;
  const auto unknown = std::count_if(parameters.begin(), parameters.end(),
                                     [](const auto& p) { return std::isnan(p.rhat) || std::isnan(p.ess_bulk); });
  if (unknown > 0)
    warnings.push_back(fmt::format("R-hat or ESS of {} cannot be computed: too few draws, or draws that never move",
                                   share(static_cast<std::size_t>(unknown), parameters.size())));
  if (const Worst rhat = highest_rhat(parameters); rhat.count > 0)
    warnings.push_back(fmt::format("R-hat above 1.01 for {} (worst {:.3f}: {}): the chains have not mixed; run longer",
                                   share(rhat.count, parameters.size()), rhat.value, labels[rhat.at]));
  const auto warn_of = [&](double stats::ParameterSummary::*ess, const char* name, const char* uncertain) {
    const Worst low = worst_of(parameters, ess, [](double v) { return v < 400; });
    if (low.count > 0)
      warnings.push_back(fmt::format("{} ESS below 400 for {} (least {:.0f}: {}): {} are uncertain; run longer", name,
                                     share(low.count, parameters.size()), low.value, labels[low.at], uncertain));
  };
  warn_of(&stats::ParameterSummary::ess_bulk, "bulk", "means");
  warn_of(&stats::ParameterSummary::ess_tail, "tail", "quantiles");
  return warnings;
}

// The variance between half chains follows from the definition of R-hat: it is about that of all draws times 1 -
// 1/R-hat².
std::string unsettled(const std::vector<stats::ParameterSummary>& parameters, const std::vector<std::string>& labels,
                      const std::vector<std::size_t>& which) {
  std::size_t count = 0, at = 0;
  double worst = 0, apart_at = 0;
  for (const std::size_t j : which) {
    const stats::ParameterSummary& p = parameters[j];
    if (!(p.rhat > 1.01)) continue;
    const double apart = p.sd * std::sqrt(1 - 1 / (p.rhat * p.rhat));
    const double relative = labels[j].starts_with("log_") ? apart : apart / std::abs(p.mean);
    if (!(relative > 0.01)) continue;
    ++count;
    if (relative > worst) at = j, worst = relative, apart_at = apart;
  }
  if (count == 0) return "";
  return fmt::format(
      "the estimates of {} have not settled: halves of the chains differ by more than 1 % (worst {}: by about {:.2g}); "
      "run longer",
      share(count, which.size()), labels[at], apart_at);
}

Summary summarize(const RunFacts& facts, const SpoolReader& spool, int threads) {
  Summary summary;
  summary.facts = facts;
  summary.draws = spool.draws();
  summary.warnings = facts.warnings;
  if (facts.status == RunStatus::interrupted)
    summary.warnings.push_back(fmt::format("stopped after {} of {} iterations", facts.done, facts.iterations));
  if (facts.status == RunStatus::failed) summary.warnings.push_back("the run failed: " + facts.failure);
  if (facts.coupled && facts.chains > 1)
    summary.warnings.push_back(
        "the chains share participation (run.coupled): R-hat and ESS over several chains are too good; mcse is that of "
        "the least favourable single chain");
  if (spool.draws() == 0) {
    summary.warnings.push_back("no draw was kept");
    return summary;
  }
  summary.parameters = summarize_parameters(spool, facts.coupled, threads);
  if (facts.dimension() <= Summary::kCovarianceMost) summary.covariance = covariance(spool, summary.parameters);
  if (facts.states == States::draws)
    for (std::string& line : diagnose(summary.parameters, facts.labels)) summary.warnings.push_back(std::move(line));
  for (std::string& line : diagnose(facts.transitions)) summary.warnings.push_back(std::move(line));
  std::string line;
  if (facts.states == States::weights) line = unmixed_units(summary.parameters);
  if (facts.states == States::estimates) line = unsettled(summary.parameters, facts.labels, facts.identified);
  if (!line.empty()) summary.warnings.push_back(std::move(line));
  return summary;
}

}  // namespace pollen::sink
