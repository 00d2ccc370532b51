#include "sink/summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sink/parallel.h"
#include "sink/verdict.h"

namespace pollen::sink {

namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{256} << 20;
constexpr Index kBetweenNews = 256;   // parameters
constexpr std::int64_t kCopies = 16;  // copies of a parameter's draws that ranks, transforms and sorting need, roughly

// Limits the threads so that their memory stays near kBlockBytes however long the run was.
int threads_for(std::int64_t bytes, int threads) {
  return static_cast<int>(
      std::clamp<std::int64_t>(kBlockBytes / std::max<std::int64_t>(1, kCopies * bytes), 1, threads));
}

std::vector<stats::ParameterSummary> summarize_parameters(const SpoolReader& spool, bool coupled, int threads,
                                                          const NumbersDone& done) {
  const Index dimension = spool.shape().dimension, chains = spool.shape().chains;
  const std::int64_t bytes = spool.draws() * chains * static_cast<std::int64_t>(sizeof(double));
  const Index per_block = std::max<Index>(1, static_cast<Index>(kBlockBytes / std::max<std::int64_t>(1, bytes)));
  const auto length = static_cast<std::size_t>(chains * static_cast<Index>(spool.draws()));
  std::vector<stats::ParameterSummary> out(static_cast<std::size_t>(dimension));
  std::vector<double> values;
  for (Index first = 0; first < dimension; first += per_block) {
    const Index count = std::min(per_block, dimension - first);
    spool.parameters(first, count, values);
    const auto one = [&, first, many = chains](Index p) {
      const auto draws = std::span<const double>(values).subspan(static_cast<std::size_t>(p) * length, length);
      out[static_cast<std::size_t>(first + p)] = stats::summarize({draws, many}, coupled);
    };
    for (Index p = 0; p < count; p += kBetweenNews) {
      const Index some = std::min(kBetweenNews, count - p);
      for_each_index(some, threads_for(bytes, threads), [&](Index i) { one(p + i); });
      if (done) done(some * static_cast<Index>(length));
    }
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

// The limit of the numbers that are held to look for causes: 64 MB.
constexpr Index kHeldForCauses = Index{1} << 23;

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

Summary summarize(const RunFacts& facts, const SpoolReader& spool, int threads, const NumbersDone& done) {
  Summary summary;
  summary.facts = facts;
  summary.draws = spool.draws();
  summary.warnings = facts.warnings;
  if (facts.coupled && facts.chains > 1)
    summary.warnings.push_back(
        "the chains share participation (run.coupled): R-hat and ESS over several chains are too good; mcse is that of "
        "the least favourable single chain");
  std::optional<DrawSet> draws;
  if (spool.draws() == 0) {
    summary.warnings.push_back("no draw was kept");
  } else {
    summary.parameters = summarize_parameters(spool, facts.coupled, threads, done);
    if (facts.dimension() <= Summary::kCovarianceMost) summary.covariance = covariance(spool, summary.parameters);
    if (facts.states == States::draws) draws = some_draws(spool, kHeldForCauses);
    if (draws) draws->coupled = facts.coupled;
  }
  summary.verdict = judge(facts, summary.parameters, draws ? &*draws : nullptr);
  for (const auto& lines : {cautions(facts, summary.parameters, draws ? &*draws : nullptr), summary.verdict.reasons})
    for (const std::string& line : lines)
      if (std::ranges::count(summary.warnings, line) == 0) summary.warnings.push_back(line);
  return summary;
}

}  // namespace pollen::sink
