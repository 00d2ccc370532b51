#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "numbers.h"
#include "pollen/version.h"
#include "sink/summary.h"
#include "sink/verdict.h"

namespace pollen::sink {

namespace {

// Writes an array with one element per line.
template <class Element>
std::string lines(std::size_t count, Element element) {
  if (count == 0) return "[]";
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "\n    " : ",\n    ") + element(i);
  return text + "\n  ]";
}

std::string parameter(const Summary& s, std::size_t j) {
  return compact(parameter_json(fmt::format("theta.{}", j + 1), s.facts.labels[j], s.parameters[j],
                                name_of(s.facts.states), s.facts.ratios.has(j)));
}

std::string covariance_row(const Summary& s, std::size_t i) {
  const std::size_t d = s.parameters.size();
  return compact(json_numbers(std::span(s.covariance).subspan(i * d, d)));
}

Json columns(ConstPanelView panel) {
  Json json = Json::array();
  for (Index c = 0; c < panel.columns; ++c) json.push_back(json_numbers(panel.column(c)));
  return json;
}

Json estimates(const Summary& s) {
  Json json = {{"last", columns(s.last)}, {"average", columns(s.average)}, {"why", s.why}};
  const Index d = s.average.rows();
  if (!s.own_covariance.empty()) json["covariance"] = columns({s.own_covariance.data(), d, d, d});
  return json;
}

std::string client(const ClientScores& c) {
  Json json = {{"name", c.name}, {"train_rows", c.train_rows}, {"test_rows", c.test_rows}};
  json.update(scores_json(c.scores));
  return compact(json);
}

std::string reliability_bin(const stats::ReliabilityBin& b) {
  const bool any = b.count > 0;
  return compact({{"lower", b.lower},
                  {"upper", b.upper},
                  {"confidence", any ? json_number(b.confidence) : Json(nullptr)},
                  {"accuracy", any ? json_number(b.accuracy) : Json(nullptr)},
                  {"rows", b.count}});
}

std::string confidence_point(const Summary& s, std::size_t i) {
  const stats::ConfidencePoint& p = s.confidence[i];
  Json json = {{"threshold", p.threshold}, {"accuracy", json_number(p.accuracy)}, {"rows", p.count}};
  if (!s.ood_above.empty()) json["ood_rows"] = s.ood_above[i];
  return compact(json);
}

Json scored(const ScoredFacts& s) {
  return {{"on", s.training ? "training" : "test"}, {"rows", s.rows}, {"in_all", s.in_all}};
}

Json auc(const stats::AucEstimate& a) {
  return {{"value", json_number(a.value)},
          {"lower", json_number(a.lower)},
          {"upper", json_number(a.upper)},
          {"rows", a.rows},
          {"events", a.events}};
}

std::string calibration_group(const stats::CalibrationGroup& g) {
  return compact({{"predicted", json_number(g.predicted)},
                  {"observed", g.observed},
                  {"lower", g.lower},
                  {"upper", g.upper},
                  {"rows", g.rows}});
}

std::string replicated(const Replicated& r) {
  Json json = Json::object();
  if (!r.client.empty()) json["client"] = r.client;
  if (!r.label.empty()) json["label"] = r.label;
  if (!std::isnan(r.above)) json.update({{"above", json_number(r.above)}, {"up_to", json_number(r.up_to)}});
  json.update({{"rows", r.rows},
               {"observed", json_number(r.observed)},
               {"predicted", json_number(r.predicted)},
               {"lower", json_number(r.lower)},
               {"upper", json_number(r.upper)}});
  return compact(json);
}

std::string predictive_check(const PredictiveCheck& c) {
  const auto list = [](const std::vector<Replicated>& all) {
    return lines(all.size(), [&](std::size_t i) { return replicated(all[i]); });
  };
  std::string text = compact({{"words", c.words},
                              {"of", c.of},
                              {"on", c.training ? "training" : "test"},
                              {"rows", c.rows},
                              {"in_all", c.in_all},
                              {"draws", c.draws}});
  text.pop_back();
  return fmt::format("{},\n  \"groups\": {},\n  \"clients\": {}}}", text, list(c.groups), list(c.clients));
}

// Each client's coefficients of the random columns, beside the population's means.
std::string client_effects(const Summary& s) {
  const ClientEffects& e = s.effects;
  Json pooled = Json::array();
  for (const std::string& label : e.pooled) {
    const auto found = std::ranges::find(s.facts.labels, label) - s.facts.labels.begin();
    const bool known = !label.empty() && std::cmp_less(found, s.parameters.size());
    const auto number = [&](double stats::ParameterSummary::*value) {
      return known ? json_number(s.parameters[static_cast<std::size_t>(found)].*value) : Json(nullptr);
    };
    pooled.push_back({{"label", label},
                      {"estimate", number(&stats::ParameterSummary::mean)},
                      {"lower", number(&stats::ParameterSummary::q5)},
                      {"upper", number(&stats::ParameterSummary::q95)}});
  }
  const auto own = [&](std::size_t i) {
    Json json = {
        {"name", e.clients[i]}, {"estimate", Json::array()}, {"lower", Json::array()}, {"upper", Json::array()}};
    for (const ClientEffects::Interval& z : e.own[i]) {
      json["estimate"].push_back(json_number(z.estimate));
      json["lower"].push_back(json_number(z.lower));
      json["upper"].push_back(json_number(z.upper));
    }
    return compact(json);
  };
  std::string text = compact({{"of", e.labels}, {"pooled", pooled}});
  text.pop_back();
  return fmt::format("{},\n  \"clients\": {}}}", text, lines(e.own.size(), own));
}

Json communication(const Counters& c) {
  return {{"rounds", c.rounds},
          {"uplink_bits", c.uplink_bits},
          {"wire_bits", c.wire_bits > 0 ? Json(c.wire_bits) : Json()},
          {"downlink_bits", c.downlink_bits},
          {"broadcast_bits", c.broadcast_bits},
          {"uplink_bits_bound", json_number(c.uplink_bits_bound)},
          {"messages", c.messages},
          {"setup_bits", c.setup_bits}};
}

Json work(const RunFacts& f) {
  const double rate = f.seconds > 0 ? static_cast<double>(f.done) / f.seconds : 0;
  return {{"gradients", f.counters.gradients},
          {"seconds", f.seconds},
          {"cpu_seconds", f.cpu_seconds},
          {"iterations_per_second", rate}};
}

Json network(const SimulatedTime& t) {
  return {{"simulated_seconds", t.total()}, {"setup_seconds", t.setup},         {"waiting_seconds", t.waiting},
          {"down_seconds", t.down},         {"computing_seconds", t.computing}, {"up_seconds", t.up},
          {"server_seconds", t.server}};
}

std::string chain_transitions(const ChainTransitions& c, int max_depth) {
  return compact({{"transitions", c.count},
                  {"divergent", c.divergent},
                  {"saturated", max_depth > 0 ? Json(c.saturated) : Json(nullptr)},
                  {"ebfmi", json_number(c.ebfmi)}});
}

Json setup(const RunFacts& f) {
  Json json = {{"step", f.step},
               {"smoothness", f.smoothness > 0 ? json_number(f.smoothness) : Json(nullptr)},
               {"temperature", f.temperature},
               {"clients", f.clients},
               {"train_rows", f.train_rows},
               {"test_rows", f.test_rows},
               {"burn_in", f.burn_in},
               {"thin", f.thin}};
  if (f.transitions.max_depth > 0) json["max_depth"] = f.transitions.max_depth;
  return json;
}

Json forecast(const SamplingForecast& f) {
  return {{"ok", f.ok},
          {"worst_sd_ratio", json_number(f.worst_ratio())},
          {"worst_sd", f.widest},
          {"least_sd_ratio", json_number(f.least_ratio)},
          {"most_sd_ratio", json_number(f.most_ratio)},
          {"worst_bias", json_number(f.bias)},
          {"worst_mean", f.most_biased},
          {"tau", json_number(f.tau)},
          {"cause", f.cause},
          {"step_within", f.step_within > 0 ? json_number(f.step_within) : Json(nullptr)},
          {"exact", f.exact}};
}

Json federation(const FederationFacts& f) {
  Json sites = Json::array();
  for (const auto& site : f.sites) sites.push_back({{"name", site.name}, {"rows", site.rows}});
  return {{"clients", sites},
          {"skipped", f.skipped},
          {"repeated", f.repeated},
          {"brought_up", f.brought_up},
          {"bytes_in", f.bytes_in},
          {"bytes_out", f.bytes_out},
          {"waiting_share", json_number(f.waiting_share)}};
}

Json maybe(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }

// Writes ε with its δ, or null and the reasons.
Json privacy_json(const PrivacyFacts& p) {
  const PrivacySpending& s = p.spending;
  Json json{{"epsilon", maybe(s.theorem.epsilon)},
            {"delta", maybe(s.theorem.delta)},
            {"why", fmt::format("{}", fmt::join(s.theorem.why, "; "))}};
  if (!p.asked) return json;
  json.update({{"renyi_epsilon", maybe(s.renyi.epsilon)},
               {"renyi_delta", maybe(s.renyi.delta)},
               {"renyi_why", fmt::format("{}", fmt::join(s.renyi.why, "; "))},
               {"rounds", s.rounds},
               {"target_epsilon", maybe(p.target)},
               {"spent_at_round", p.spent_at_round ? Json(*p.spent_at_round) : Json(nullptr)},
               {"adversary", p.adversary},
               {"accepted", p.accepted}});
  return json;
}

}  // namespace

std::string to_json(const Summary& s) {
  const RunFacts& f = s.facts;
  std::string text = "{\n  \"version\": " + compact(version());
  const auto key = [&](const char* name, const std::string& value) {
    text += fmt::format(",\n  \"{}\": {}", name, value);
  };
  key("sampler", compact(f.sampler));
  key("model", compact(f.model));
  if (f.event) key("event", compact({{"target", f.event->target}, {"level", f.event->level}}));
  if (!f.units.empty()) {
    Json target = {{"name", f.target}, {"units", f.units}};
    if (!f.ratios.name.empty()) target["ratio"] = f.ratios.name;
    key("target", compact(target));
  }
  if (!f.statement.empty()) key("statement", compact(f.statement));
  key("seed", compact(f.seed));
  key("chains", compact(f.chains));
  key("draws_per_chain", compact(s.draws));
  key("states", compact(name_of(f.states)));
  key("status", compact(name_of(f.status)));
  key("iterations", compact(f.done));
  key("parameters", lines(s.parameters.size(), [&](std::size_t j) { return parameter(s, j); }));
  if (!s.covariance.empty())
    key("covariance", lines(s.parameters.size(), [&](std::size_t i) { return covariance_row(s, i); }));
  if (!f.mode.empty()) key("mode", compact(json_numbers(f.mode)));
  key("communication", compact(communication(f.counters)));
  if (f.federation) key("federation", compact(federation(*f.federation)));
  key("work", compact(work(f)));
  const auto cost = draw_cost(f.counters, f.states, s.parameters);
  key("per_effective_draw", compact(cost ? draw_cost_json(*cost) : Json(nullptr)));
  if (f.simulated) key("network", compact(network(*f.simulated)));
  if (const auto& chains = f.transitions.chains; !chains.empty())
    key("trajectories",
        lines(chains.size(), [&](std::size_t c) { return chain_transitions(chains[c], f.transitions.max_depth); }));
  key("metrics", compact(scores_json(s.metrics)));
  if (s.scored.rows > 0) key("scored", compact(scored(s.scored)));
  key("clients", lines(s.clients.size(), [&](std::size_t i) { return client(s.clients[i]); }));
  if (!s.confidence.empty()) {
    key("reliability", lines(s.reliability.size(), [&](std::size_t i) { return reliability_bin(s.reliability[i]); }));
    key("confidence", lines(s.confidence.size(), [&](std::size_t i) { return confidence_point(s, i); }));
  }
  if (s.auc) key("auc", compact(auc(*s.auc)));
  if (!s.calibration.empty())
    key("calibration", lines(s.calibration.size(), [&](std::size_t i) { return calibration_group(s.calibration[i]); }));
  if (!s.check.words.empty()) key("predictive_check", predictive_check(s.check));
  if (!s.effects.own.empty()) key("effects", client_effects(s));
  if (s.ood_rows > 0) {
    Json ood = {{"rows", s.ood_rows}};
    ood.update(scores_json(s.ood));
    key("ood", compact(ood));
  }
  if (!s.last.empty()) key("estimates", compact(estimates(s)));
  key("privacy", compact(privacy_json(f.privacy)));
  key("setup", compact(setup(f)));
  if (f.forecast) key("forecast", compact(forecast(*f.forecast)));
  key("notes", lines(f.notes.size(), [&](std::size_t i) { return compact(f.notes[i]); }));
  key("verdict", to_json(s.verdict));
  key("warnings", lines(s.warnings.size(), [&](std::size_t i) { return compact(s.warnings[i]); }));
  return text + "\n}\n";
}

}  // namespace pollen::sink
