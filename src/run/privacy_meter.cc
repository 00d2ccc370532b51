#include "run/privacy_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pollen/errors.h"

namespace pollen {

namespace {

PrivacyInputs inputs_of(const Config& config, const Recipe& recipe, std::span<const Index> sizes) {
  const LocalSteps& local = *recipe.local;
  const PrivacyConfig& p = config.privacy;
  PrivacyInputs in;
  // The first step is the largest one of a decaying schedule.
  in.step = local.step_at(recipe.step, static_cast<Index>(sizes.size()), 0);
  in.temperature = recipe.temperature;
  in.correlation = config.sampler.correlation.value_or(1);
  if (local.clip) in.sensitivity = 2 * *local.clip;
  in.local_steps = local.steps;
  in.random_gaps = local.communicate > 0;
  in.chains = config.run.chains;
  in.coupled = config.run.coupled;
  if (recipe.participation.policy == ParticipationPolicy::fixed_size)
    in.scheme = recipe.participation.replacement ? PrivacyScheme::one : PrivacyScheme::two;
  in.drawn = recipe.participation.size;
  in.adversary = p.adversary.value_or("server") == "outside" ? Adversary::outside : Adversary::server;
  in.delta = p.delta;
  in.delta_0 = p.delta_0;
  in.delta_1 = p.delta_1;
  in.delta_2 = p.delta_2;
  std::vector<Index> batches;
  for (const Index rows : sizes) batches.push_back(recipe.batch.of(rows));
  in.clients = privacy_clients(sizes, batches);
  return in;
}

}  // namespace

PrivacyMeter::PrivacyMeter(const Config& config, const Recipe& recipe, std::span<const Index> sizes,
                           std::vector<UncoveredQuery> uncovered)
    : iterations_(config.run.iterations) {
  if (!recipe.local || !recipe.local->by_size) return;
  why_.clear();
  inputs_ = inputs_of(config, recipe, sizes);
  communicate_ = recipe.local->communicate;
  asked_ = asks_for_privacy(config);
  if (!asked_) {
    if (!inputs_.sensitivity)
      why_.emplace_back("no clipping: the gradient of one observation is not bounded, so the noise gives no guarantee");
    why_.emplace_back("nothing is accounted without a [privacy] section");
    return;
  }
  // If the parts of δ are given instead of δ, both accountants use the theorem's total δ at the end of the run.
  const auto whole = config.privacy.delta ? config.privacy.delta : theorem_account(inputs_, rounds(iterations_)).delta;
  renyi_delta_ = whole.value_or(renyi_delta_);
  target_ = config.privacy.target_epsilon;
  stops_ = target_ && config.privacy.on_spent.value_or("stop") == "stop";
  accountant_ = config.privacy.accountant.value_or("theorem");
  for (const UncoveredQuery& look : uncovered)
    if (std::ranges::count(config.privacy.accept, look.name) == 0)
      why_.push_back(fmt::format("{}: turn it off or accept it with privacy.accept = [\"{}\"]", look.what, look.name));
  curve_ = renyi_curve(inputs_);
  if (target_ && why_.empty()) find_budget();
}

Index PrivacyMeter::rounds(std::int64_t iterations) const {
  if (communicate_ > 0)
    return static_cast<Index>(std::llround(static_cast<double>(iterations) * communicate_));  // on average
  return static_cast<Index>((iterations + inputs_.local_steps - 1) / inputs_.local_steps);
}

PrivacySpending PrivacyMeter::after(std::int64_t iterations) const {
  PrivacySpending spending;
  spending.rounds = rounds(iterations);
  spending.theorem.why = spending.renyi.why = why_;
  if (!curve_) return spending;
  const auto take = [iterations](const auto& account, PrivacyGuarantee& to) {
    to.why.insert(to.why.end(), account.why.begin(), account.why.end());
    if (!to.why.empty()) return;
    to.epsilon = iterations == 0 ? 0 : *account.epsilon;
    to.delta = account.delta;
  };
  take(theorem_account(inputs_, std::max<Index>(1, spending.rounds)), spending.theorem);
  take(renyi_account(*curve_, std::max<Index>(1, static_cast<Index>(iterations)), renyi_delta_), spending.renyi);
  return spending;
}

void PrivacyMeter::find_budget() {
  const Index k = inputs_.local_steps;
  std::int64_t allowed = 0;
  if (accountant_ == "renyi") {
    allowed = renyi_steps(*curve_, renyi_delta_, *target_, static_cast<Index>(iterations_));
    if (allowed < iterations_ && communicate_ == 0) allowed -= allowed % k;
  } else {
    allowed = k * theorem_rounds(inputs_, *target_, rounds(iterations_));
  }
  if (allowed < iterations_) budget_ = allowed;
}

void PrivacyMeter::check(const std::string& file) const {
  if (!stops_) return;
  const PrivacySpending first = after(communicate_ > 0 ? 1 : inputs_.local_steps);
  const auto& [epsilon, delta, why] = held(first);
  Problems problems;
  const std::string key = file + ": privacy.target_epsilon";
  for (const std::string& line : why) problems.add(key, "found a budget that nothing can be held against: " + line);
  if (!epsilon && first.renyi.epsilon) problems.add(key, "accepted here: accountant = \"renyi\", which gives a number");
  if (epsilon && *epsilon > *target_)
    problems.add(key,
                 fmt::format("found {}, but the first round costs {:.4g}; accepted: more, or a smaller sampler.step or "
                             "sampler.clip, a lower correlation, fewer local_steps or chains",
                             *target_, *epsilon));
  problems.raise();
}

}  // namespace pollen
