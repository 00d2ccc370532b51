#include "report/live_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "parts.h"
#include "sink/limits.h"

namespace pollen::report {

namespace {

using sink::History;
using sink::kMetricColumns;
using sink::LiveClient;
using sink::LiveClients;
using sink::LivePlan;
using sink::LiveState;
using sink::name_of;

const char* name_of(LiveState::Phase phase) {
  constexpr std::array kNames = {"preparing", "waiting", "sampling", "writing"};
  return kNames.at(static_cast<std::size_t>(phase));
}

const char* name_of(LiveClient::State state) {
  constexpr std::array kNames = {"unknown", "waiting", "active", "late", "gone"};
  return kNames.at(static_cast<std::size_t>(state));
}

Json client_json(const LiveClient& client) {
  return {{"name", client.name},
          {"state", name_of(client.state)},
          {"rows", client.rows < 0 ? Json(nullptr) : Json(client.rows)},
          {"turns", client.turns},
          {"lastRound", client.last_round < 0 ? Json(nullptr) : Json(client.last_round)},
          {"skipped", client.skipped},
          {"upBits", client.up_bits},
          {"downBits", client.down_bits},
          {"latency", number(client.latency)}};
}

Json clients_json(const LiveClients& clients) {
  Json shown = Json::array();
  for (const LiveClient& client : clients.shown) shown.push_back(client_json(client));
  return {{"shown", std::move(shown)},
          {"inAll", clients.in_all},
          {"here", clients.here < 0 ? Json(nullptr) : Json(clients.here)},
          {"heard", clients.heard},
          {"participants", clients.participants},
          {"frames", clients.frames}};
}

Json column(const History& history, std::size_t at) {
  Json values = Json::array();
  for (std::size_t i = 0; i < history.rows(); ++i) values.push_back(number(history.row(i)[at]));
  return values;
}

const sink::Summary* summary_of(const LiveEnd* end) {
  return end != nullptr && end->summary != nullptr && !end->summary->parameters.empty() ? end->summary : nullptr;
}

// The last numbers are those of the summary, once there is one.
Json diagnostics_json(const LiveState& state, const History& over_time, const LiveEnd* end) {
  Json json = {{"iteration", column(over_time, 0)}, {"rhat", column(over_time, 1)}, {"ess", column(over_time, 2)}};
  if (const sink::Summary* summary = summary_of(end)) {
    const sink::Extremes worst = sink::extremes_of(summary->parameters);
    json["iteration"].push_back(state.iteration);
    json["rhat"].push_back(worst.rhat > 0 ? number(worst.rhat) : Json(nullptr));
    json["ess"].push_back(worst.ess_bulk < 1e300 ? number(worst.ess_bulk) : Json(nullptr));
  }
  return json;
}

double worst_rhat(const LiveState& state, const LiveEnd* end) {
  const sink::Summary* summary = summary_of(end);
  if (summary == nullptr) return state.rhat;
  const double worst = sink::extremes_of(summary->parameters).rhat;
  return worst > 0 ? worst : std::nan("");
}

Json live_part(const LivePlan* plan, const LiveState& state, const LiveFindings& findings, const LiveEnd* end) {
  const std::int64_t asked = plan != nullptr ? plan->facts.iterations : 0;
  const double left = state.rate > 0 ? static_cast<double>(asked - state.iteration) / state.rate : std::nan("");
  return {{"phase", end != nullptr ? "over" : name_of(state.phase)},
          {"iteration", state.iteration},
          {"iterations", plan != nullptr ? Json(asked) : Json(nullptr)},
          {"started", plan != nullptr ? plan->started : 0},
          {"rate", number(state.rate)},
          {"secondsLeft", number(left)},
          {"rhat", number(worst_rhat(state, end))},
          {"ended", end != nullptr ? Json{{"status", name_of(end->status)}, {"words", end->words}} : Json(nullptr)},
          {"clients", clients_json(state.clients)},
          {"diagnostics", diagnostics_json(state, findings.over_time(), end)}};
}

// Lists all parameters at the end, and before that only those shown.
Json parameters_json(const LivePlan& plan, const LiveFindings& findings, const LiveEnd* end) {
  const sink::Summary* summary = summary_of(end);
  const bool all = summary != nullptr;
  const std::vector<stats::ParameterSummary>& found = all ? summary->parameters : findings.parameters();
  Json rows = Json::array();
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    const auto j = static_cast<std::size_t>(plan.parameters[p]), at = all ? j : p;
    const stats::ParameterSummary none{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    rows.push_back(parameter_row(fmt::format("theta.{}", j + 1), plan.labels[p], at < found.size() ? found[at] : none,
                                 all && summary->facts.ratios.has(j)));
  }
  return rows;
}

Json metrics_json(const LivePlan& plan, const LiveState& state) {
  Json columns = Json::array(), values = Json::array();
  for (const char* name : kMetricColumns) columns.push_back(name);
  for (const std::string& name : plan.scores) columns.push_back(name);
  for (std::size_t i = 0; i < state.metrics.width(); ++i) {
    values.push_back(column(state.metrics, i));
    values.back().push_back(number(state.latest[i]));
  }
  return {{"columns", std::move(columns)}, {"values", std::move(values)}, {"rowsInAll", state.metrics.offered()}};
}

Json verdict_so_far(const LivePlan* plan, const LiveState& state, const LiveEnd* end) {
  std::string words = "The run is being prepared.";
  if (state.phase == LiveState::Phase::waiting) words = "The server waits for its clients.";
  if (plan != nullptr) words = "Sampling: whether the chains agree can be said at the end.";
  if (state.phase == LiveState::Phase::writing) words = "Sampling is over; draws and summary are being written.";
  if (end != nullptr) words = fmt::format("The run is over: {}.", name_of(end->status));
  Json reasons = Json::array();
  if (end != nullptr && !end->words.empty()) reasons.push_back(end->words);
  return {{"converged", nullptr}, {"words", words}, {"reasons", std::move(reasons)}};
}

std::vector<std::string> notes_of(const LivePlan& plan, const LiveState& state, const LiveFindings& findings,
                                  const LiveEnd* end) {
  std::vector<std::string> notes = plan.facts.notes;
  if (plan.started > 0)
    notes.push_back(fmt::format("resumed after {} iterations: draws are shown from there on", plan.started));
  if (std::ssize(plan.parameters) < plan.dimension)
    notes.push_back(fmt::format("{} of {} parameters are shown, evenly chosen; the worst R-hat is of all",
                                plan.parameters.size(), plan.dimension));
  if (std::cmp_less(findings.draws(), state.trace.offered()))
    notes.push_back(fmt::format("{} from {} of {} draws per chain, evenly spaced{}",
                                summary_of(end) != nullptr ? "plots are" : "numbers of parameters are",
                                findings.draws(), state.trace.offered(),
                                summary_of(end) != nullptr ? "" : ": an ESS is at least what is shown"));
  return notes;
}

// Adds what a summary says, in the report's own words and parts.
void add_summary(Json& run, const sink::Summary& summary) {
  const Json stored = Json::parse(sink::to_json(summary), nullptr, false);
  run["facts"] = facts_of(stored, nullptr);
  run["facts"]["source"] = summary.facts.source;
  add_stored_parts(run, stored);
}

// Adds what a summary would say now, without the parts that are known only at the end.
void add_summary_so_far(Json& run, const LivePlan& plan, const LiveState& state) {
  sink::Summary now;
  now.facts = plan.facts;
  now.facts.done = state.iteration;
  now.facts.seconds = state.seconds;
  now.facts.counters = state.counters;
  now.facts.simulated.reset();
  now.draws = state.draws;
  now.warnings = plan.facts.warnings;
  add_summary(run, now);
  run["facts"]["iterationsPerSecond"] = number(state.rate);
  run["privacy"] = nullptr;
  if (plan.facts.step == 0) run["facts"]["step"] = nullptr;
  if (state.counters.messages == 0) run["communication"] = nullptr;
}

Json run_json(const std::string& name, const LivePlan* plan, const LiveState& state, const LiveFindings& findings,
              const LiveEnd* end) {
  const LivePlan nothing;
  const LivePlan& known = plan != nullptr ? *plan : nothing;
  Json scores = Json::array();
  if (plan != nullptr)
    for (std::size_t i = 0; i < plan->scores.size(); ++i)
      if (!plan->scores[i].ends_with("_state"))  // those are for the plots against rounds and bits
        scores.push_back({{"name", plan->scores[i]}, {"value", number(state.latest[kMetricColumns.size() + i])}});
  Json run = {{"name", name},
              {"status", end != nullptr ? name_of(end->status) : "running"},
              {"verdict", verdict_so_far(plan, state, end)},
              {"notes", notes_of(known, state, findings, end)},
              {"parameters", parameters_json(known, findings, end)},
              {"parametersInAll", known.dimension},
              {"plots", findings.plots()},
              {"metrics", plan != nullptr ? metrics_json(*plan, state) : Json(nullptr)},
              {"participation", nullptr},
              {"heterogeneity", nullptr},
              {"config", known.config}};
  add_summary_so_far(run, known, state);
  run["scores"] = std::move(scores);
  run["clientsInAll"] = state.clients.in_all;
  return run;
}

// Replaces what was known before the end by what the summary says. Lists that may be very long, and which the page
// takes from elsewhere, are left out.
void add_ending(Json& run, const sink::Summary& summary, const LiveState& state) {
  sink::Summary rest;
  rest.facts = summary.facts;
  rest.draws = summary.draws;
  rest.metrics = summary.metrics;
  rest.scored = summary.scored;
  rest.auc = summary.auc;
  rest.calibration = summary.calibration;
  rest.check = summary.check;
  rest.reliability = summary.reliability;
  rest.confidence = summary.confidence;
  rest.ood_rows = summary.ood_rows;
  rest.ood = summary.ood;
  rest.ood_above = summary.ood_above;
  rest.warnings = summary.warnings;
  const auto shown = std::min<std::size_t>(summary.clients.size(), sink::kLiveClients);
  rest.clients.assign(summary.clients.begin(), summary.clients.begin() + static_cast<std::ptrdiff_t>(shown));
  add_summary(run, rest);
  run["clientsInAll"] = state.clients.in_all;
  run["verdict"] = verdict_json(summary.verdict);
}

}  // namespace

std::string live_json(const std::string& name, const LivePlan* plan, const LiveState& state,
                      const LiveFindings& findings, const LiveEnd* end) {
  Json run = run_json(name, plan, state, findings, end);
  if (end != nullptr && end->summary != nullptr) add_ending(run, *end->summary, state);
  const Json data{{"format", 1},
                  {"made", versions()},
                  {"reference", 0},
                  {"runs", Json::array({std::move(run)})},
                  {"live", live_part(plan, state, findings, end)}};
  // Names come from users. Whatever bytes they contain, the result is JSON on one line.
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pollen::report
