#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "pollen/errors.h"
#include "run/planning.h"
#include "sink/report.h"
#include "terminal.h"

namespace pollen::app {

namespace {

using Json = nlohmann::ordered_json;

// Tells whether there is a target epsilon and an epsilon to compare with it.
bool held_against(const PlanReport& report) {
  return report.meter->target() && report.meter->held(*report.privacy).epsilon;
}

std::string epsilon_text(const char* name, const PrivacyGuarantee& by) {
  if (!by.epsilon) return fmt::format("no epsilon by {}: {}", name, fmt::join(by.why, "; "));
  return fmt::format("epsilon {:.4g} at delta {:.4g} ({})", *by.epsilon, *by.delta, name);
}

std::string budget_text(const PrivacyMeter& meter) {
  if (!meter.budget()) return fmt::format("the budget of epsilon {:.4g} lasts for the whole run", *meter.target());
  return fmt::format("the budget of epsilon {:.4g} lasts for {} rounds, {} iterations of every chain", *meter.target(),
                     meter.rounds(*meter.budget()), *meter.budget());
}

// Describes the simulated time of the run as configured and, if a precision was asked for, of a run that reaches it.
std::string time_text(const PlanReport& report) {
  const SimulatedTime& each = report.time->exchange;
  const auto all = [&](double rounds) { return sink::human_duration(rounds * each.total()); };
  std::string text = fmt::format("{:<16} {} per round, {} for {:.4g} rounds: {}\n", "in the network",
                                 sink::human_duration(each.total()), all(report.plan.traffic.rounds),
                                 report.plan.traffic.rounds, sink::simulated_shares(each));
  if (const auto& reach = report.plan.reach; reach && reach->reached)
    text += fmt::format("{:<16} {} to W2 <= {:.4g}\n", "", all(reach->traffic.rounds), reach->precision);
  return text;
}

std::string text_of(const PlanReport& report) {
  std::string text = to_text(report.plan);
  if (report.time) text += time_text(report);
  if (const auto& p = report.privacy; p && p->theorem.why == p->renyi.why && !p->theorem.epsilon) {
    text += fmt::format("{:<16} no epsilon: {}\n", "privacy", fmt::join(p->theorem.why, "; "));
  } else if (p) {
    text += fmt::format("{:<16} {} after {} rounds\n", "privacy", epsilon_text("Theorem G.3", p->theorem), p->rounds);
    text += fmt::format("{:<16} {}\n", "", epsilon_text("Renyi accounting", p->renyi));
    if (held_against(report)) text += fmt::format("{:<16} {}\n", "", budget_text(*report.meter));
  }
  for (const std::string& note : report.notes) text += "note: " + note + '\n';
  return text;
}

Json maybe(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json time_json(const PlanReport& report) {
  const SimulatedTime& each = report.time->exchange;
  const auto& reach = report.plan.reach;
  return {{"round_seconds", each.total()},
          {"waiting_seconds", each.waiting},
          {"down_seconds", each.down},
          {"computing_seconds", each.computing},
          {"up_seconds", each.up},
          {"server_seconds", each.server},
          {"simulated_rounds", report.time->simulated},
          {"seconds", report.plan.traffic.rounds * each.total()},
          {"precision_seconds", reach && reach->reached ? Json(reach->traffic.rounds * each.total()) : Json(nullptr)}};
}

std::string json_of(const PlanReport& report) {
  Json json = Json::parse(to_json(report.plan));
  json["privacy"] = nullptr;
  if (const auto& p = report.privacy)
    json["privacy"] = {
        {"epsilon", maybe(p->theorem.epsilon)},
        {"delta", maybe(p->theorem.delta)},
        {"why", fmt::format("{}", fmt::join(p->theorem.why, "; "))},
        {"renyi_epsilon", maybe(p->renyi.epsilon)},
        {"renyi_delta", maybe(p->renyi.delta)},
        {"renyi_why", fmt::format("{}", fmt::join(p->renyi.why, "; "))},
        {"rounds", p->rounds},
        {"target_epsilon", maybe(report.meter->target())},
        {"budget_iterations",
         held_against(report) && report.meter->budget() ? Json(*report.meter->budget()) : Json(nullptr)}};
  json["network"] = nullptr;
  if (report.time) json["network"] = time_json(report);
  json["notes"] = report.notes;
  return json.dump(2) + '\n';
}

}  // namespace

int plan_command(const PlanOptions& options) {
  Config config =
      options.config.empty() ? read_builtin_config(options.set) : read_config_file(options.config, options.set);
  if (options.round_price && !options.precision)
    throw ConfigError(
        "--round-price",
        "found without --precision, accepted: both, because the best number of local steps depends on the precision");
  Experiment experiment(std::move(config));
  const PlanReport report = make_report(experiment, {options.precision, options.round_price});
  for (const std::string& line : experiment.warnings())
    // Planning uses these two keys, so they are not reported as unused.
    if (!line.starts_with("sampler.smoothness") && !line.starts_with("sampler.convexity")) tell("warning: " + line);
  print(options.json ? json_of(report) : text_of(report));
  return kDone;
}

}  // namespace pollen::app
