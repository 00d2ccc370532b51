#include "causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "separation.h"
#include "sink/limits.h"
#include "sink/text.h"
#include "slow_directions.h"

namespace pollen::sink {

namespace {

std::span<const double> chain_of(const DrawSet& draws, std::size_t parameter, Index chain) {
  return std::span(draws.values[parameter])
      .subspan(static_cast<std::size_t>(chain * draws.length), static_cast<std::size_t>(draws.length));
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// How far each chain moves from its first tenth to its last.
struct Moves {
  double from = 0, to = 0;  // the first and the last place of the chain that moves farthest
  bool outward = true;      // every chain moves away from zero
};

Moves moves_of(const DrawSet& draws, std::size_t parameter) {
  Moves moves;
  const auto tenth = static_cast<std::size_t>(std::max<Index>(1, draws.length / 10));
  for (Index c = 0; c < draws.chains; ++c) {
    const auto chain = chain_of(draws, parameter, c);
    const double from = mean_of(chain.first(tenth)), to = mean_of(chain.last(tenth));
    if (std::abs(to - from) > std::abs(moves.to - moves.from)) moves.from = from, moves.to = to;
    moves.outward = moves.outward && std::abs(to) > std::abs(from);
  }
  return moves;
}

// A factor of e³ within one chain, or a scale beyond all measure, is no fluctuation.
std::string runaway_scale(const Evidence& e) {
  constexpr double kFar = 3, kAbsurd = 50;
  for (std::size_t j = 0; j < e.size(); ++j) {
    if (!is_log_scale(e.facts.labels[j]) || !e.poor(j)) continue;
    const Moves moves = moves_of(*e.draws, j);
    if (std::abs(moves.to - moves.from) > kFar || std::abs(e.parameters[j].mean) > kAbsurd)
      return fmt::format(
          "{} has run away (in one chain from {} to {}): the chains started far from the scale of the target, or the "
          "prior does not fit it; start at the mode (run.init = \"auto\") with a prior in the target's units "
          "(model.prior = \"auto\")",
          e.facts.labels[j], short_number(moves.from), short_number(moves.to));
  }
  return "";
}

// Whether nothing has stopped a coefficient yet: every chain is still moving away from zero, and it is far away.
bool growing(const Evidence& e, std::size_t j) {
  constexpr double kHuge = 10, kFarInPrior = 4;  // as a log odds ratio; in prior sds, if the prior is not flat
  const double prior_sd = j < e.facts.prior_sd.size() ? e.facts.prior_sd[j] : INFINITY;
  const double far = std::isfinite(prior_sd) ? kFarInPrior * prior_sd : kHuge;
  const Moves moves = moves_of(*e.draws, j);
  return e.poor(j) && std::abs(e.parameters[j].mean) > far && moves.outward &&
         std::abs(moves.to - moves.from) > e.parameters[j].sd;
}

std::string endless_growth(const Evidence& e) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < e.size(); ++j)
    if (may_separate(e.facts) && growing(e, j)) names.push_back(e.facts.labels[j]);
  return separated_by(std::move(names), e.facts);
}

// A column without information leaves its coefficient's prior as it was.
std::string prior_alone(const Evidence& e) {
  constexpr double kSame = 0.15;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < std::min(e.size(), e.facts.prior_sd.size()); ++j) {
    const stats::ParameterSummary& p = e.parameters[j];
    const double ratio = p.sd / e.facts.prior_sd[j], error = kSame + 2 / std::sqrt(std::max(p.ess_bulk, 1.0));
    if (e.poor(j) && std::abs(ratio - 1) < kSame && std::abs(p.mean) < error * e.facts.prior_sd[j])
      names.push_back(e.facts.labels[j]);
  }
  if (names.empty()) return "";
  return fmt::format(
      "the data say nothing of {}, as of a constant column: the draws are those of the prior; leave {} out "
      "(data.features)",
      listed(names), names.size() == 1 ? "it" : "them");
}

// Chains that each find enough independent draws of every parameter, but disagree, are not slow.
std::string separate_places(const Evidence& e) {
  constexpr double kApart = 1.05, kLeastPerChain = 100;
  double least = INFINITY;
  std::size_t at = 0;
  for (std::size_t j = 0; j < e.size(); ++j) {
    if (!(e.parameters[j].rhat > kApart)) continue;
    if (!(e.parameters[j].rhat <= e.parameters[at].rhat)) at = j;
    for (Index c = 0; c < e.draws->chains; ++c) {
      least = std::min(least, stats::ess_bulk({chain_of(*e.draws, j, c), 1}));
      if (!(least >= kLeastPerChain)) return "";
    }
  }
  if (!std::isfinite(least)) return "";
  return fmt::format(
      "every chain mixes well (ESS {:.0f} or more), but each at a place of its own, most of all in {}: the posterior "
      "has "
      "several modes, or a chain has not left its start; more iterations would not join them. Compare the chains' "
      "means",
      std::floor(least), e.facts.labels[at]);
}

// Rounds up to two digits.
std::int64_t rounded_up(double value) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(value, 1.0))) - 1));
  return static_cast<std::int64_t>(std::ceil(value / unit) * unit);
}

std::string in_words(double factor) {
  return factor < 10 ? fmt::format("{:.1f}", std::ceil(10 * factor) / 10) : fmt::format("{:.0f}", std::ceil(factor));
}

// How many iterations keep `factor` times as many draws. A burn-in of a tenth, the default, grows with the iterations.
double needed_iterations(const RunFacts& facts, double factor) {
  const double draws = factor * static_cast<double>(facts.done - facts.burn_in);
  return facts.burn_in == facts.iterations / 10 ? draws / 0.9 : draws + static_cast<double>(facts.burn_in);
}

// Whether the forecast asks for a smaller step, which step = "auto" takes if there are enough iterations for it. Chains
// then take as many more iterations per effective draw.
bool needs_smaller_step(const RunFacts& facts) {
  const auto& f = facts.forecast;
  return f && !f->ok && f->step_within > 0 && f->step_within < f->step;
}

// The bulk ESS with which R-hat is nearly always low enough. The means of 2m half chains scatter by about 2m/ESS of the
// variance of all draws, so that R-hat is about 1 + m/ESS, and up to twice as far above 1 by chance.
double enough_for_rhat(Index chains) {
  const auto halves = static_cast<double>(2 * chains);
  return std::max(kLeastEss, halves / 2 / (kMostRhat - 1) * (1 + 2 * std::sqrt(2 / (halves - 1))));
}

std::string longer(const Evidence& e) {
  constexpr double kTooFar = 1.2, kMost = 10'000;  // ESS says little of chains that are farther apart
  const Extremes worst = extremes_of(e.parameters);
  const double enough = enough_for_rhat(e.facts.chains);
  const double by_bulk = enough / worst.ess_bulk, by_tail = kLeastEss / worst.ess_tail;
  const double by_rhat = (worst.rhat - 1) / (kMostRhat - 1), times = std::max({by_bulk, by_tail, by_rhat});
  const bool smaller = needs_smaller_step(e.facts);
  const double factor = times * (smaller ? e.facts.forecast->step / e.facts.forecast->step_within : 1);
  if (worst.rhat > kTooFar || !(factor < kMost)) {
    const std::string advice = other_coordinates(e.facts);
    return fmt::format("the chains are too far apart to tell how many iterations would be enough{}{}",
                       advice.empty() ? "" : "; ", advice);
  }
  std::string goal = fmt::format("gives ESS {}", kLeastEss);
  if (times == by_bulk && enough > kLeastEss)
    goal = fmt::format("gives ESS {}, with which R-hat of {} chains stays below {}", rounded_up(enough), e.facts.chains,
                       kMostRhat);
  if (times == by_rhat) goal = fmt::format("brings R-hat to {}", kMostRhat);
  if (smaller) goal += fmt::format(", at the step {:.2g} that the forecast asks for", e.facts.forecast->step_within);
  if (e.facts.done == 0) return fmt::format("about {} times as many draws {}", in_words(factor), goal);
  if (e.facts.privacy.spent_at_round && e.facts.done < e.facts.iterations)
    return fmt::format("the privacy budget allows no more iterations; {} times as many would be needed",
                       in_words(factor));
  const double needed = needed_iterations(e.facts, factor);
  if (e.facts.status == RunStatus::interrupted && needed <= static_cast<double>(e.facts.iterations))
    return fmt::format("the rest of the run should be enough: about {} of its {} iterations",
                       grouped(rounded_up(needed)), grouped(e.facts.iterations));
  return fmt::format("about {} times longer (run.iterations = {}) {}",
                     in_words(needed / static_cast<double>(e.facts.done)), rounded_up(needed), goal);
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size())));
  return fmt::format("{}{}", fmt::join(some, ", "),
                     names.size() > kMost ? fmt::format(" and {} more", names.size() - kMost) : "");
}

bool warned_of(const RunFacts& facts, std::string_view beginning) {
  return std::ranges::any_of(facts.warnings, [&](const std::string& line) { return line.starts_with(beginning); });
}

bool Evidence::poor(std::size_t j) const { return !faults_of(parameters[j]).empty(); }

std::vector<std::string> remedies(const Evidence& evidence) {
  std::vector<std::string> lines;
  const std::string separated = separation(evidence);
  if (warned_of(evidence.facts, "too few rows"))
    lines.emplace_back("set-up found too few rows for so many columns, and the warnings say what helps");
  else if (warned_of(evidence.facts, "collinear columns"))
    lines.emplace_back("set-up found collinear columns, which the warnings name; leave one of them out");
  if (evidence.draws != nullptr && evidence.draws->length >= 10) {
    const std::string scale = runaway_scale(evidence), growth = endless_growth(evidence);
    lines.insert(lines.end(), {scale, growth, prior_alone(evidence), separate_places(evidence)});
    // The directions of draws that run away are not those of the posterior, and separation has wide ones of its own.
    if (scale.empty() && growth.empty() && separated.empty()) lines.push_back(slow_directions(evidence));
    std::erase(lines, "");
  }
  if (lines.empty()) lines.push_back(longer(evidence));
  // A prior that stops a coefficient makes no chain slow, but such draws should not be read without knowing it.
  if (!separated.empty() && std::ranges::count(lines, separated) == 0) lines.push_back(separated);
  return lines;
}

std::string early_draws(const Evidence& e) {
  if (e.draws == nullptr || e.draws->length < 100) return "";
  const DrawSet& draws = *e.draws;
  const auto tenth = static_cast<std::size_t>(draws.length / 10), half = static_cast<std::size_t>(draws.length / 2);
  // The limit is that of a normal variable, with a chance of 1 in 1000 for all parameters together.
  const double limit = std::sqrt(2 * std::log(2000 * static_cast<double>(e.size())));
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t j = 0; j < e.size(); ++j) {
    const stats::ParameterSummary& p = e.parameters[j];
    double shift = 0;
    for (Index c = 0; c < draws.chains; ++c) {
      const auto chain = chain_of(draws, j, c);
      shift += (mean_of(chain.first(tenth)) - mean_of(chain.last(half))) / static_cast<double>(draws.chains);
    }
    const double ess = std::min(p.ess_bulk, static_cast<double>(draws.chains * draws.length)) /
                       static_cast<double>(draws.coupled ? draws.chains : 1);
    const double size = std::abs(shift) / p.sd;
    if (size > limit * std::sqrt(12 / ess) && size > worst) worst = size, at = j;  // 1/0.1 + 1/0.5 = 12
  }
  if (worst == 0) return "";
  const std::int64_t kept = e.facts.done - e.facts.burn_in;
  return fmt::format(
      "the first tenth of the draws of {} is {:.1f} sd away from the later ones: the burn-in was too "
      "short{}",
      e.facts.labels[at], worst,
      kept > 0 ? fmt::format("; run.burn_in = {} leaves them out",
                             rounded_up(static_cast<double>(e.facts.burn_in) + 0.1 * static_cast<double>(kept)))
               : "");
}

}  // namespace pollen::sink
