#include <fmt/format.h>

#include <algorithm>

#include "parts.h"
#include "sink/summary.h"
#include "sink/text.h"

namespace pollen::report {

namespace {

Json said(const Json& converged, const std::string& words, const std::vector<std::string>& reasons = {}) {
  return {{"converged", converged}, {"words", words}, {"reasons", reasons}};
}

std::string good_words(const std::vector<stats::ParameterSummary>& parameters) {
  double rhat = 0, bulk = 1e300, tail = 1e300;
  for (const auto& p : parameters) {
    rhat = std::max(rhat, p.rhat);
    bulk = std::min(bulk, p.ess_bulk);
    tail = std::min(tail, p.ess_tail);
  }
  const auto count = [](double ess) { return sink::grouped(static_cast<std::int64_t>(std::min(ess, 1e15))); };
  return fmt::format(
      "Converged: the chains agree on {}. R-hat is at most {:.3f}, the effective sample size at least {} "
      "(bulk) and {} (tail).",
      parameters.size() == 1 ? "the parameter" : fmt::format("all {} parameters", parameters.size()), rhat, count(bulk),
      count(tail));
}

// Adds the run's warnings about goals that were not reached to the reasons that the draws give.
std::vector<std::string> with_end(const Judged& run, std::vector<std::string> reasons) {
  for (const std::string& line : run.warnings)
    if (line.starts_with("stopped after") || line.starts_with("the run failed")) reasons.push_back(line);
  return reasons;
}

}  // namespace

Json verdict(const Judged& run) {
  if (run.parameters.empty()) return said(nullptr, "No verdict: no draw was kept.", with_end(run, {}));
  if (run.states == "weights")
    return said(nullptr,
                "R-hat does not apply here: a network's units can change places, so that chains that predict alike "
                "differ in their weights. Judge by the scores.",
                with_end(run, {}));
  if (run.states == "estimates")
    return said(nullptr,
                "R-hat does not apply here: the rows are successive estimates, and their average is the result.",
                with_end(run, run.warnings));
  if (run.states == "iterates")
    return said(nullptr, "R-hat does not apply here: the rows are an optimiser's iterates, not draws of a posterior.",
                with_end(run, {}));
  const auto reasons = with_end(run, sink::diagnose(run.parameters, run.labels));
  if (run.status == "failed") return said(false, "Not converged: the run failed.", reasons);
  if (reasons.empty()) return said(true, good_words(run.parameters));
  const bool stopped = run.status == "interrupted";
  return said(
      false,
      stopped ? "Not converged: the run was stopped before its end." : "Not converged: do not rely on these draws yet.",
      reasons);
}

}  // namespace pollen::report
