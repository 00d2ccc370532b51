#include "parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pollen/errors.h"
#include "pollen/version.h"
#include "sink/stored_summary.h"
#include "sink/verdict.h"

namespace pollen::report {

namespace {

constexpr std::size_t kMostClients = 200;
using Keys = std::initializer_list<const char*>;

Json number_at(const Json& json, const char* key) {
  const Json& value = member(json, key);
  return value.is_number() ? value : Json(nullptr);
}

Json count_at(const Json& json, const char* key) {
  const Json value = number_at(json, key);
  return value.is_null() ? Json(0) : value;
}

// The files' names have underscores, those of the page have capitals: train_rows becomes trainRows.
std::string page_name(std::string_view key) {
  std::string name;
  for (std::size_t i = 0; i < key.size(); ++i)
    name += key[i] == '_' && i + 1 < key.size() ? static_cast<char>(key[++i] - 'a' + 'A') : key[i];
  return name;
}

// Returns the numbers of an object under the page's names, null where there is none.
Json numbers_at(const Json& json, Keys keys) {
  Json out = Json::object();
  for (const char* key : keys) out[page_name(key)] = number_at(json, key);
  return out;
}

Json rows_at(const Json& json, const char* list, Keys keys) {
  Json out = Json::array();
  for (const Json& row : member(json, list)) out.push_back(numbers_at(row, keys));
  return out;
}

// Writes the seed as text if JavaScript's numbers, which are exact up to 2^53, cannot hold it.
Json seed_at(const Json& json) {
  const Json seed = number_at(json, "seed");
  const bool large = seed.is_number_unsigned() && seed.get<std::uint64_t>() > (std::uint64_t{1} << 53U);
  return large ? Json(std::to_string(seed.get<std::uint64_t>())) : seed;
}

std::string text_at(const Json& json, const char* key, const char* otherwise = "") {
  const Json& value = member(json, key);
  return value.is_string() ? value.get<std::string>() : otherwise;
}

// Collects every number of an object under its own name, except those in `without`.
Json scores_of(const Json& json, const std::vector<std::string>& without = {}) {
  Json out = Json::array();
  if (!json.is_object()) return out;
  for (const auto& [name, value] : json.items()) {
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    if (value.is_number() || value.is_null()) out.push_back({{"name", name}, {"value", value}});
  }
  return out;
}

Json communication(const Json& c) {
  if (!c.is_object()) return nullptr;
  Json out = {{"rounds", count_at(c, "rounds")},
              {"uplinkBits", count_at(c, "uplink_bits")},
              {"downlinkBits", count_at(c, "downlink_bits")}};
  out.update(numbers_at(c, {"broadcast_bits", "uplink_bits_bound", "messages", "setup_bits"}));
  return out;
}

Json clients(const Json& all) {
  Json out = Json::array();
  for (const Json& c : all) {
    if (out.size() == kMostClients) break;
    if (!c.is_object()) continue;
    Json row = {{"name", text_at(c, "name")}, {"scores", scores_of(c, {"name", "train_rows", "test_rows"})}};
    row.update(numbers_at(c, {"train_rows", "test_rows"}));
    out.push_back(std::move(row));
  }
  return out;
}

Json privacy(const Json& p) {
  if (!p.is_object()) return nullptr;
  Json out = {{"why", text_at(p, "why")}, {"renyiWhy", text_at(p, "renyi_why")}};
  out.update(numbers_at(p, {"epsilon", "delta", "renyi_epsilon", "renyi_delta", "target_epsilon", "spent_at_round"}));
  return out;
}

Json network(const Json& n) {
  if (!n.is_object()) return nullptr;
  Json parts = Json::array();
  for (const char* name : {"setup", "waiting", "down", "computing", "up", "server"}) {
    const Json seconds = number_at(n, (std::string(name) + "_seconds").c_str());
    if (!seconds.is_null()) parts.push_back({{"name", name}, {"seconds", seconds}});
  }
  return {{"seconds", number_at(n, "simulated_seconds")}, {"parts", std::move(parts)}};
}

// The event of a model of two classes, such as "survived = yes".
std::string event_of(const Json& event) {
  const std::string target = text_at(event, "target"), level = text_at(event, "level");
  return level.empty() ? "" : (target.empty() ? "the target" : target) + " = " + level;
}

Json scored(const Json& s) {
  if (!s.is_object()) return nullptr;
  Json out = {{"training", text_at(s, "on") == "training"}};
  out.update(numbers_at(s, {"rows", "in_all"}));
  return out;
}

Json replicated(const Json& all) {
  Json out = Json::array();
  for (const Json& r : all) {
    Json row = {{"client", text_at(r, "client")}, {"label", text_at(r, "label")}};
    row.update(numbers_at(r, {"above", "up_to", "rows", "observed", "predicted", "lower", "upper"}));
    out.push_back(std::move(row));
  }
  return out;
}

Json predictive_check(const Json& c) {
  if (!c.is_object()) return nullptr;
  Json out = {{"words", text_at(c, "words")},
              {"of", text_at(c, "of")},
              {"groups", replicated(member(c, "groups"))},
              {"clients", replicated(member(c, "clients"))}};
  out.update(scored(c));
  out.update(numbers_at(c, {"draws"}));
  return out;
}

// Reads lists of numbers, one per random column, with null where there is none.
Json columns_at(const Json& json, const char* key, std::size_t columns) {
  Json out = Json::array();
  const Json& list = member(json, key);
  for (std::size_t j = 0; j < columns; ++j)
    out.push_back(list.is_array() && j < list.size() && list[j].is_number() ? list[j] : Json(nullptr));
  return out;
}

Json effects(const Json& e) {
  const std::vector<std::string> of = texts_at(e, "of");
  if (of.empty()) return nullptr;
  Json pooled = Json::array(), clients = Json::array();
  const Json& given = member(e, "pooled");
  for (std::size_t j = 0; j < of.size(); ++j) {
    const Json& one = given.is_array() && j < given.size() ? given[j] : given;
    Json row = {{"label", text_at(one, "label")}};
    row.update(numbers_at(one, {"estimate", "lower", "upper"}));
    pooled.push_back(std::move(row));
  }
  for (const Json& c : member(e, "clients")) {
    Json row = {{"name", text_at(c, "name")}};
    for (const char* key : {"estimate", "lower", "upper"}) row[key] = columns_at(c, key, of.size());
    clients.push_back(std::move(row));
  }
  return {{"of", of}, {"pooled", std::move(pooled)}, {"clients", std::move(clients)}};
}

Json object_of(std::string_view text, const std::string& path, const char* accepted) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    throw ConfigError(path, fmt::format("found a text that is not a JSON object, accepted: {}", accepted));
  return json;
}

}  // namespace

const Json& member(const Json& json, const char* key) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

Json versions() {
  return {{"version", version()}, {"revision", revision()}, {"build", build_type()}, {"compiler", compiler()}};
}

Json verdict_json(const sink::Verdict& verdict) { return Json::parse(sink::to_json(verdict)); }

Json parameter_row(const std::string& name, const std::string& label, const stats::ParameterSummary& p, bool ratio) {
  Json row = {{"name", name}, {"label", label}};
  for (const auto& [key, value] : sink::kSummaryNumbers) row[page_name(key)] = number(p.*value);
  if (ratio) row["ratio"] = numbers(std::vector{std::exp(p.q50), std::exp(p.q5), std::exp(p.q95)});
  return row;
}

std::vector<std::string> texts_at(const Json& json, const char* key) {
  std::vector<std::string> out;
  for (const Json& line : member(json, key))
    if (line.is_string()) out.push_back(line.get<std::string>());
  return out;
}

Json parse_summary(std::string_view text, const std::string& path) {
  constexpr const char* kAccepted = "summary.json as a run writes it";
  Json json = object_of(text, path, kAccepted);
  const auto refuse = [&](const std::string& found) {
    throw ConfigError(path, fmt::format("found {}, accepted: {}", found, kAccepted));
  };
  if (!member(json, "parameters").is_array() || !member(json, "sampler").is_string())
    refuse("no list \"parameters\" or no text \"sampler\" in it");
  for (const char* key : {"states", "status"})
    if (json.contains(key) && !json[key].is_string()) refuse(fmt::format("\"{}\" that is not a text", key));
  return json;
}

Json parse_clients(std::string_view text, const std::string& path) {
  return object_of(text, path, "clients.json as a run writes it");
}

Json facts_of(const Json& s, const Json& draws) {
  const auto shape = [&](const char* read, const char* stored) {
    const Json& value = member(draws, read);
    return value.is_number() ? value : count_at(s, stored);
  };
  Json facts = {{"version", text_at(s, "version")},
                {"sampler", text_at(s, "sampler")},
                {"model", text_at(s, "model")},
                {"source", ""},
                {"statement", text_at(s, "statement")},
                {"units", text_at(member(s, "target"), "units")},
                {"ratio", text_at(member(s, "target"), "ratio")},
                {"event", event_of(member(s, "event"))},
                {"states", text_at(s, "states", "draws")},
                {"seed", seed_at(s)},
                {"chains", shape("chains", "chains")},
                {"draws", shape("draws", "draws_per_chain")},
                {"iterations", number_at(s, "iterations")}};
  facts.update(
      numbers_at(member(s, "setup"), {"max_depth", "burn_in", "thin", "step", "clients", "train_rows", "test_rows"}));
  facts.update(numbers_at(member(s, "work"), {"seconds", "gradients", "iterations_per_second"}));
  return facts;
}

void add_stored_parts(Json& run, const Json& s) {
  const Json& ood = member(s, "ood");
  run["warnings"] = texts_at(s, "warnings");
  run["communication"] = communication(member(s, "communication"));
  run["scores"] = scores_of(member(s, "metrics"));
  run["clients"] = clients(member(s, "clients"));
  run["clientsInAll"] = member(s, "clients").is_array() ? member(s, "clients").size() : 0;
  run["scored"] = scored(member(s, "scored"));
  run["trajectories"] = rows_at(s, "trajectories", {"transitions", "divergent", "saturated", "ebfmi"});
  const Json& auc = member(s, "auc");
  run["auc"] = auc.is_object() ? numbers_at(auc, {"value", "lower", "upper", "rows", "events"}) : Json(nullptr);
  run["calibration"] = rows_at(s, "calibration", {"predicted", "observed", "lower", "upper", "rows"});
  run["check"] = predictive_check(member(s, "predictive_check"));
  run["effects"] = effects(member(s, "effects"));
  run["reliability"] = rows_at(s, "reliability", {"lower", "upper", "confidence", "accuracy", "rows"});
  run["confidence"] = rows_at(s, "confidence", {"threshold", "accuracy", "rows", "ood_rows"});
  run["ood"] =
      ood.is_object() ? Json({{"rows", number_at(ood, "rows")}, {"scores", scores_of(ood, {"rows"})}}) : Json(nullptr);
  run["privacy"] = privacy(member(s, "privacy"));
  run["network"] = network(member(s, "network"));
}

}  // namespace pollen::report
