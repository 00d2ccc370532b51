#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "pollen/errors.h"
#include "run/planning.h"
#include "sink/report.h"
#include "sink/text.h"
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

std::string forecast_row(const char* name, const std::string& value, const std::string& verdict = {}) {
  return fmt::format("  {:<27} {:<42} {}", name, value, verdict);
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string cost_of_draws(const PlanReport& report) {
  const double clients = static_cast<double>(std::max<std::size_t>(1, report.plan.constants.clients.size()));
  std::string text =
      fmt::format("{:.3g} iterations, {:.3g} rounds, {} up per client", report.draws.iterations,
                  report.draws.traffic.rounds, sink::human_bytes(report.draws.traffic.up_bits / 8 / clients));
  if (report.time)
    text += fmt::format(", {} in the network",
                        sink::human_duration(report.draws.traffic.rounds * report.time->exchange.total()));
  return text + fmt::format(", gradients of {} here", sink::human_duration(report.draws.seconds));
}

// What the draws will be worth, before what the theorems promise.
std::string forecast_text(const PlanReport& report) {
  if (!report.forecast) return fmt::format("{:<16} none: {}\n", "forecast", report.no_forecast);
  const SamplingForecast& f = *report.forecast;
  std::string text = fmt::format("forecast (Gaussian approximation at the mode, {}, step {:.4g})\n",
                                 f.exact ? "exact law" : "first order in the step", f.step);
  const std::string largest =
      f.ok || f.step_within == 0
          ? std::string()
          : without_end(forecast_row("largest step within bounds", fmt::format("{:.3g}", f.step_within)));
  if (!std::isfinite(f.most_ratio)) return text + "  the chain diverges at this step\n" + largest + '\n';
  const bool sd = f.most_ratio <= 1.03 && f.least_ratio >= 0.97;
  text += without_end(forecast_row("sampled sd / posterior sd",
                                   fmt::format("{:.3f} to {:.3f} (worst: {})", f.least_ratio, f.most_ratio, f.widest),
                                   sd ? "ok, within 3 %" : "not within 3 %: " + f.cause));
  if (f.bias >= 5e-4)
    text +=
        without_end(forecast_row("means off by", fmt::format("{:.2g} posterior sds (worst: {})", f.bias, f.most_biased),
                                 f.bias <= 0.1 ? "ok, below 0.1" : "not below 0.1: " + f.cause));
  text += without_end(forecast_row("effective draws", fmt::format("1 in {:.3g} iterations of a chain", f.tau)));
  text += without_end(forecast_row("for 1,000 effective draws", cost_of_draws(report)));
  text += largest;
  if (!report.no_forecast.empty()) text += "  not exact: " + report.no_forecast + '\n';
  return text + '\n';
}

std::string text_of(const PlanReport& report) {
  std::string text = forecast_text(report) + to_text(report.plan);
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

std::optional<double> finite(double x) { return std::isfinite(x) ? std::optional(x) : std::nullopt; }

Json forecast_json(const PlanReport& report) {
  if (!report.forecast) return {{"none", report.no_forecast}};
  const SamplingForecast& f = *report.forecast;
  return {{"step", f.step},
          {"least_sd_ratio", maybe(finite(f.least_ratio))},
          {"most_sd_ratio", maybe(finite(f.most_ratio))},
          {"worst_sd", f.widest},
          {"worst_bias", f.bias},
          {"worst_mean", f.most_biased},
          {"tau", f.tau},
          {"ok", f.ok},
          {"cause", f.cause},
          {"step_within", f.step_within > 0 ? Json(f.step_within) : Json(nullptr)},
          {"exact", f.exact},
          {"iterations_for_1000", report.draws.iterations},
          {"rounds_for_1000", report.draws.traffic.rounds},
          {"up_bits_for_1000", report.draws.traffic.up_bits},
          {"gradient_seconds_for_1000", report.draws.seconds}};
}

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
  json["forecast"] = forecast_json(report);
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
  if (options.recommend) return recommend_command(options);
  if (options.within) throw ConfigError("--within", "found without --recommend, accepted: both");
  Config config =
      options.config.empty() ? read_builtin_config(options.set) : read_config_file(options.config, options.set);
  if (options.round_price && !options.precision)
    throw ConfigError(
        "--round-price",
        "found without --precision, accepted: both, because the best number of local steps depends on the precision");
  Experiment experiment(std::move(config));
  const PlanReport report = make_report(experiment, {options.precision, options.round_price, options.exact});
  for (const std::string& line : experiment.warnings())
    // Planning uses these two keys, so they are not reported as unused.
    if (!line.starts_with("sampler.smoothness") && !line.starts_with("sampler.convexity")) tell("warning: " + line);
  print(options.json ? json_of(report) : text_of(report));
  return kDone;
}

}  // namespace pollen::app
