#include "sink/transitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sink/text.h"

namespace pollen::sink {

namespace {

struct AllTransitions {
  std::int64_t count = 0, divergent = 0, saturated = 0;
  double ebfmi = std::numeric_limits<double>::quiet_NaN();  // the least of all chains
  std::size_t low = 0;                                      // chains with an E-BFMI below the limit
};

AllTransitions all_of(const TransitionFacts& facts) {
  AllTransitions all;
  for (const ChainTransitions& c : facts.chains) {
    all.count += c.count;
    all.divergent += c.divergent;
    all.saturated += c.saturated;
    if (!std::isnan(c.ebfmi) && !(c.ebfmi >= all.ebfmi)) all.ebfmi = c.ebfmi;
    if (c.ebfmi < kLeastEbfmi) ++all.low;
  }
  return all;
}

}  // namespace

TransitionTally::TransitionTally(std::int64_t chains, int max_depth)
    : max_depth_(max_depth),
      divergent_(static_cast<std::size_t>(chains)),
      saturated_(divergent_.size()),
      last_(divergent_.size()),
      steps_(divergent_.size()),
      mean_(divergent_.size()),
      squares_(divergent_.size()) {}

void TransitionTally::add(std::span<const Transition> transitions) {
  ++count_;
  for (std::size_t c = 0; c < std::min(transitions.size(), divergent_.size()); ++c) {
    const Transition& t = transitions[c];
    if (t.divergent) ++divergent_[c];
    if (max_depth_ > 0 && t.depth >= max_depth_) ++saturated_[c];
    if (count_ > 1) steps_[c] += (t.energy - last_[c]) * (t.energy - last_[c]);
    last_[c] = t.energy;
    const double from = t.energy - mean_[c];
    mean_[c] += from / static_cast<double>(count_);
    squares_[c] += from * (t.energy - mean_[c]);
  }
}

TransitionFacts TransitionTally::facts() const {
  TransitionFacts facts{max_depth_, {}};
  for (std::size_t c = 0; c < divergent_.size(); ++c)
    facts.chains.push_back({count_, divergent_[c], saturated_[c],
                            squares_[c] > 0 ? steps_[c] / squares_[c] : std::numeric_limits<double>::quiet_NaN()});
  return facts;
}

void TransitionTally::archive(Archive& archive) {
  archive.field(count_);
  for (auto* counts : {&divergent_, &saturated_}) archive.array(std::span(*counts));
  for (auto* sums : {&last_, &steps_, &mean_, &squares_}) archive.array(std::span(*sums));
}

std::vector<std::string> diagnose(const TransitionFacts& facts) {
  const AllTransitions all = all_of(facts);
  std::vector<std::string> warnings;
  if (all.divergent > 0)
    warnings.push_back(fmt::format(
        "{} of {} transitions after burn-in diverged (energy error above 1000): the draws may miss parts of the "
        "posterior; raise sampler.target_accept or give a smaller sampler.step",
        grouped(all.divergent), grouped(all.count)));
  if (all.saturated > 0)
    warnings.push_back(fmt::format(
        "{} of {} trees after burn-in reached sampler.max_depth = {}: trajectories are cut short and the chains move "
        "slowly; raise sampler.max_depth",
        grouped(all.saturated), grouped(all.count), facts.max_depth));
  if (all.low > 0)
    warnings.push_back(fmt::format(
        "E-BFMI below {} for {} of {} chains (least {:.2f}): the momentum explores the energies poorly; give the model "
        "other coordinates or a lighter-tailed prior",
        kLeastEbfmi, all.low, facts.chains.size(), all.ebfmi));
  return warnings;
}

std::string transitions_line(const TransitionFacts& facts) {
  if (facts.chains.empty()) return "";
  const AllTransitions all = all_of(facts);
  std::string text = fmt::format("{} of {} transitions diverged", grouped(all.divergent), grouped(all.count));
  if (facts.max_depth > 0) text += fmt::format(", {} trees reached depth {}", grouped(all.saturated), facts.max_depth);
  return text + (std::isnan(all.ebfmi) ? ", no E-BFMI" : fmt::format(", E-BFMI at least {:.2f}", all.ebfmi));
}

}  // namespace pollen::sink
