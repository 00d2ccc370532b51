#include "report/live_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "parts.h"

namespace pollen::report {

namespace {

using sink::History;
using sink::kMetricColumns;
using sink::LiveClient;
using sink::LiveClients;
using sink::LivePlan;
using sink::LiveState;
using sink::name_of;

// Summaries with more parameters than this are not parsed again for their other parts.
constexpr std::size_t kMostSummed = 2000;

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
          {"upBytes", (client.up_bits + 7) / 8},
          {"downBytes", (client.down_bits + 7) / 8},
          {"latency", number(client.latency)}};
}

Json clients_json(const LiveClients& clients) {
  Json shown = Json::array();
  for (const LiveClient& client : clients.shown) shown.push_back(client_json(client));
  return {{"shown", std::move(shown)},
          {"inAll", clients.in_all},
          {"here", clients.here < 0 ? Json(nullptr) : Json(clients.here)},
          {"heard", clients.heard},
          {"participants", clients.participants}};
}

Json column(const History& history, std::size_t at) {
  Json values = Json::array();
  for (std::size_t i = 0; i < history.rows(); ++i) values.push_back(number(history.row(i)[at]));
  return values;
}

Json diagnostics_json(const History& over_time) {
  return {{"iteration", column(over_time, 0)}, {"rhat", column(over_time, 1)}, {"ess", column(over_time, 2)}};
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
          {"rhat", number(state.rhat)},
          {"ended", end != nullptr ? Json{{"status", name_of(end->status)}, {"words", end->words}} : Json(nullptr)},
          {"clients", clients_json(state.clients)},
          {"diagnostics", diagnostics_json(findings.over_time())}};
}

// Lists all parameters at the end, and before that only those shown.
Json parameters_json(const LivePlan& plan, const LiveFindings& findings, const LiveEnd* end) {
  const bool all = end != nullptr && end->summary != nullptr && !end->summary->parameters.empty();
  const std::vector<stats::ParameterSummary>& found = all ? end->summary->parameters : findings.parameters();
  Json rows = Json::array();
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    const auto j = static_cast<std::size_t>(plan.parameters[p]), at = all ? j : p;
    const stats::ParameterSummary none{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    rows.push_back(parameter_row(fmt::format("theta.{}", j + 1), plan.labels[p], at < found.size() ? found[at] : none));
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

Json verdict_json(const LivePlan* plan, const LiveState& state, const LiveEnd* end) {
  std::string words = "The run is being prepared.";
  if (state.phase == LiveState::Phase::waiting) words = "The server waits for its clients.";
  if (plan != nullptr) words = "Sampling: whether the chains agree can be said at the end.";
  if (state.phase == LiveState::Phase::writing) words = "Sampling is over; draws and summary are being written.";
  if (end != nullptr) words = fmt::format("The run is over: {}.", name_of(end->status));
  Json reasons = Json::array();
  if (end != nullptr && !end->words.empty()) reasons.push_back(end->words);
  return {{"converged", nullptr}, {"words", words}, {"reasons", std::move(reasons)}};
}

std::vector<std::string> notes_of(const LivePlan& plan, const LiveState& state, const LiveFindings& findings) {
  std::vector<std::string> notes = plan.facts.notes;
  if (plan.started > 0)
    notes.push_back(fmt::format("resumed after {} iterations: draws are shown from there on", plan.started));
  if (std::ssize(plan.parameters) < plan.dimension)
    notes.push_back(fmt::format("{} of {} parameters are shown, evenly chosen; the worst R-hat is of all",
                                plan.parameters.size(), plan.dimension));
  if (std::cmp_less(findings.draws(), state.trace.offered()))
    notes.push_back(
        fmt::format("numbers of parameters are from {} of {} draws per chain, evenly spaced: an ESS is at least "
                    "what is shown",
                    findings.draws(), state.trace.offered()));
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
              {"verdict", verdict_json(plan, state, end)},
              {"notes", notes_of(known, state, findings)},
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

void add_ending(Json& run, const sink::Summary& summary) {
  const sink::RunFacts& facts = summary.facts;
  run["verdict"] =
      verdict({name_of(facts.states), name_of(facts.status), summary.parameters, facts.labels, summary.warnings});
  run["warnings"] = summary.warnings;
  if (facts.labels.size() > kMostSummed) return;
  add_summary(run, summary);
}

}  // namespace

std::string live_json(const std::string& name, const LivePlan* plan, const LiveState& state,
                      const LiveFindings& findings, const LiveEnd* end) {
  Json run = run_json(name, plan, state, findings, end);
  if (end != nullptr && end->summary != nullptr) add_ending(run, *end->summary);
  const Json data{{"format", 1},
                  {"made", versions()},
                  {"reference", 0},
                  {"runs", Json::array({std::move(run)})},
                  {"live", live_part(plan, state, findings, end)}};
  // Names come from users. Whatever bytes they contain, the result is JSON on one line.
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pollen::report
