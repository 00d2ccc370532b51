#include "sink/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "causes.h"
#include "numbers.h"
#include "separation.h"
#include "sink/limits.h"
#include "sink/text.h"
#include "slow_directions.h"

namespace pollen::sink {

namespace {

using Summaries = std::vector<stats::ParameterSummary>;

std::string counted(double number) { return grouped(std::llround(std::min(number, 1e15))); }

std::string whole_set(std::size_t count) {
  return count == 1 ? "the parameter" : fmt::format("all {} parameters", count);
}

// How far the law that the sampler draws from is from the posterior, by the forecast.
std::string forecast_words(const SamplingForecast& f) {
  const double ratio = f.worst_ratio();
  if (!std::isfinite(ratio)) return "forecast: near the mode the chain diverges at this step";
  const double percent = 100 * std::abs(ratio - 1);
  std::string text = fmt::format("forecast: sds up to {} % too {} ({}), means up to {:.2f} posterior sds off",
                                 percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent),
                                 ratio < 1 ? "narrow" : "wide", f.widest, f.bias);
  if (f.ok) return text;
  text += ", where 3 % and 0.1 are accepted";
  return f.cause.empty() ? text : text + "; the cause is " + f.cause;
}

// What was checked, with its numbers: chains that all sit at the same wrong place pass these checks, too.
std::string checks(const RunFacts& facts, const Summaries& parameters) {
  const Extremes worst = extremes_of(parameters);
  std::string text = fmt::format("R-hat {:.3f} or less, ESS {} or more (tail {}) for {}", worst.rhat,
                                 counted(worst.ess_bulk), counted(worst.ess_tail), whole_set(parameters.size()));
  if (!facts.transitions.chains.empty() && diagnose(facts.transitions).empty()) text += ", no divergence";
  if (facts.forecast && facts.forecast->ok) text += "; " + forecast_words(*facts.forecast);
  if (!facts.forecast && !facts.exact && !facts.sampler.empty()) text += "; the error of the step was not checked";
  return text;
}

std::vector<std::size_t> not_finite(const Summaries& parameters) {
  std::vector<std::size_t> which;
  for (std::size_t j = 0; j < parameters.size(); ++j)
    if (!std::isfinite(parameters[j].mean)) which.push_back(j);
  return which;
}

std::string names_of(const std::vector<std::size_t>& which, const std::vector<std::string>& labels) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, which.size()); ++i) text += (i > 0 ? ", " : "") + labels[which[i]];
  return which.size() > kMost ? fmt::format("{} and {} more", text, which.size() - kMost) : text;
}

// What forbids to rely on the results whatever their R-hat is.
std::vector<std::string> troubles(const RunFacts& facts, const Summaries& parameters) {
  std::vector<std::string> lines;
  if (facts.status == RunStatus::interrupted)
    lines.push_back(fmt::format("stopped after {} of {} iterations", facts.done, facts.iterations));
  if (facts.status == RunStatus::failed && !facts.failure.empty()) lines.push_back("the run failed: " + facts.failure);
  if (const auto wrong = not_finite(parameters); !wrong.empty())
    lines.push_back(fmt::format("draws of {} are not finite numbers", names_of(wrong, facts.labels)));
  for (std::string& line : diagnose(facts.transitions)) lines.push_back(std::move(line));
  if (facts.forecast && !facts.forecast->ok) lines.push_back(forecast_words(*facts.forecast));
  for (const std::string& line : facts.warnings)
    if (line.find("does not sample the target") != std::string::npos) lines.push_back(line);
  return lines;
}

// What makes a verdict impossible.
std::vector<std::string> unknowns(const RunFacts& facts, const Summaries& parameters) {
  std::vector<std::size_t> still, few;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const stats::ParameterSummary& p = parameters[j];
    if (!std::isfinite(p.mean) || !(std::isnan(p.rhat) || std::isnan(p.ess_bulk) || std::isnan(p.ess_tail))) continue;
    (p.sd == 0 ? still : few).push_back(j);
  }
  std::vector<std::string> lines;
  const auto say = [&](const std::vector<std::size_t>& which, const char* why) {
    if (!which.empty())
      lines.push_back(fmt::format("R-hat and ESS of {} are unknown: {}", names_of(which, facts.labels), why));
  };
  say(still, "the draws never move");
  say(few, "too few draws, or draws with too few different values");
  if (facts.chains == 1)
    lines.emplace_back("one chain: nothing shows whether a chain from another start would agree; run.chains = 4 does");
  return lines;
}

Verdict judge_draws(const RunFacts& facts, const Summaries& parameters, const DrawSet* draws) {
  std::vector<std::string> reasons = troubles(facts, parameters);
  const bool troubled = !reasons.empty();
  const Evidence evidence{facts, parameters, draws};
  std::vector<std::string> mixing = diagnose(parameters, facts.labels);
  if (!mixing.empty())
    for (std::string& line : remedies(evidence)) mixing.push_back(std::move(line));
  if (std::string line = early_draws(evidence); !line.empty()) mixing.push_back(std::move(line));
  const std::vector<std::string> unknown = unknowns(facts, parameters);
  reasons.insert(reasons.end(), mixing.begin(), mixing.end());
  reasons.insert(reasons.end(), unknown.begin(), unknown.end());
  if (facts.status == RunStatus::interrupted)
    return {false, "Not converged: the run was stopped before its end.", reasons};
  if (!mixing.empty()) return {false, "Not converged: do not rely on these draws yet.", reasons};
  if (troubled && unknown.empty() && not_finite(parameters).empty())
    return {false, fmt::format("Not to be relied on, although the chains agree ({}).", checks(facts, parameters)),
            reasons};
  if (troubled) return {false, "Not to be relied on.", reasons};
  if (!unknown.empty()) return {{}, "No verdict: not everything could be checked.", reasons};
  return {true, fmt::format("Converged by what was checked: {}.", checks(facts, parameters)), {}};
}

// Why R-hat says little of states that are no draws of a posterior whose parameters have a meaning each.
const char* why_not(States states, const std::string& model) {
  if (states == States::weights && model == "mixed-linear")
    return "phi and the latents can turn together, so that chains that predict alike differ in them. Judge by the "
           "scores.";
  if (states == States::weights)
    return "a network's units can change places, so that chains that predict alike differ in their weights. Judge by "
           "the scores.";
  if (states == States::estimates) return "the rows are successive estimates, and their average is the result.";
  return "the rows are an optimiser's iterates, not draws of a posterior.";
}

// Infinite numbers are stored as null and come back as NaN.
bool same_numbers(const Summaries& a, const Summaries& b) {
  const auto same = [](double x, double y) { return x == y || (!std::isfinite(x) && !std::isfinite(y)); };
  return std::ranges::equal(a, b, [&](const stats::ParameterSummary& p, const stats::ParameterSummary& q) {
    return std::ranges::all_of(kSummaryNumbers,
                               [&](const SummaryNumber& number) { return same(p.*number.value, q.*number.value); });
  });
}

}  // namespace

Verdict judge(const RunFacts& facts, const Summaries& parameters, const DrawSet* draws) {
  Verdict verdict;
  if (parameters.empty()) {
    verdict = {{}, "No verdict: no draw was kept.", troubles(facts, parameters)};
  } else if (facts.states == States::draws) {
    verdict = judge_draws(facts, parameters, draws);
  } else {
    verdict = {{},
               fmt::format("R-hat does not apply here: {}", why_not(facts.states, facts.model)),
               troubles(facts, parameters)};
    const std::string line =
        facts.states == States::estimates ? unsettled(parameters, facts.labels, facts.identified) : "";
    if (!line.empty()) verdict.reasons.push_back(line);
  }
  if (facts.status == RunStatus::failed) verdict.converged = false, verdict.words = "Not converged: the run failed.";
  return verdict;
}

std::vector<std::string> cautions(const RunFacts& facts, const Summaries& parameters, const DrawSet* draws) {
  if (facts.states != States::draws) return {};
  const Evidence evidence{facts, parameters, draws};
  std::vector<std::string> lines = {separation(evidence)};
  // Separation leaves wide directions of its own, and of poor draws the verdict tells the cause.
  if (lines[0].empty() && diagnose(parameters, facts.labels).empty()) lines.push_back(prior_between_columns(evidence));
  std::erase(lines, "");
  return lines;
}

Verdict verdict_of(const std::optional<StoredSummary>& stored, const Summaries& parameters,
                   const std::vector<std::string>& labels, const DrawSet* draws) {
  if (stored && stored->verdict && same_numbers(stored->parameters, parameters)) return *stored->verdict;
  RunFacts facts = stored ? facts_of(*stored) : RunFacts();
  facts.labels = labels;
  if (draws != nullptr) facts.chains = draws->chains;
  return judge(facts, parameters, draws);
}

std::string verdict_text(const Verdict& verdict, const std::vector<std::string>& warnings) {
  std::string text = fmt::format("  verdict: {}\n", verdict.words);
  for (const std::string& line : verdict.reasons) text += fmt::format("    - {}\n", line);
  for (const std::string& line : warnings)
    if (std::ranges::count(verdict.reasons, line) == 0) text += fmt::format("  warning: {}\n", line);
  return text;
}

std::string to_json(const Verdict& verdict) {
  return compact({{"converged", verdict.converged ? Json(*verdict.converged) : Json(nullptr)},
                  {"words", verdict.words},
                  {"reasons", verdict.reasons}});
}

}  // namespace pollen::sink
