#include "stored_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "pollen/errors.h"

namespace pollen::report {

namespace {

constexpr std::size_t kMostClients = 200;

// Returns a member, or null if it is absent.
const Json& member(const Json& json, const char* key) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

Json number_at(const Json& json, const char* key) {
  const Json& value = member(json, key);
  return value.is_number() ? value : Json(nullptr);
}

// Writes the seed as text if JavaScript's numbers, which are exact up to 2^53, cannot hold it.
Json seed_at(const Json& json) {
  const Json seed = number_at(json, "seed");
  const bool large = seed.is_number_unsigned() && seed.get<std::uint64_t>() > (std::uint64_t{1} << 53U);
  return large ? Json(std::to_string(seed.get<std::uint64_t>())) : seed;
}

std::string text_at(const Json& json, const char* key) {
  const Json& value = member(json, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

Json texts_at(const Json& json, const char* key) {
  Json out = Json::array();
  for (const Json& line : member(json, key))
    if (line.is_string()) out.push_back(line);
  return out;
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
  const auto count = [&](const char* key) { return number_at(c, key).is_null() ? Json(0) : number_at(c, key); };
  return {{"rounds", count("rounds")},
          {"uplinkBits", count("uplink_bits")},
          {"downlinkBits", count("downlink_bits")},
          {"broadcastBits", number_at(c, "broadcast_bits")},
          {"uplinkBitsBound", number_at(c, "uplink_bits_bound")},
          {"messages", number_at(c, "messages")},
          {"setupBits", number_at(c, "setup_bits")}};
}

Json clients(const Json& all) {
  Json out = Json::array();
  for (const Json& c : all) {
    if (out.size() == kMostClients) break;
    if (!c.is_object()) continue;
    out.push_back({{"name", text_at(c, "name")},
                   {"trainRows", number_at(c, "train_rows")},
                   {"testRows", number_at(c, "test_rows")},
                   {"scores", scores_of(c, {"name", "train_rows", "test_rows"})}});
  }
  return out;
}

Json reliability(const Json& bins) {
  Json out = Json::array();
  for (const Json& b : bins)
    out.push_back({{"lower", number_at(b, "lower")},
                   {"upper", number_at(b, "upper")},
                   {"confidence", number_at(b, "confidence")},
                   {"accuracy", number_at(b, "accuracy")},
                   {"rows", number_at(b, "rows")}});
  return out;
}

Json confidence(const Json& points) {
  Json out = Json::array();
  for (const Json& p : points)
    out.push_back({{"threshold", number_at(p, "threshold")},
                   {"accuracy", number_at(p, "accuracy")},
                   {"rows", number_at(p, "rows")},
                   {"oodRows", number_at(p, "ood_rows")}});
  return out;
}

Json privacy(const Json& p) {
  if (!p.is_object()) return nullptr;
  return {{"epsilon", number_at(p, "epsilon")},
          {"delta", number_at(p, "delta")},
          {"why", text_at(p, "why")},
          {"renyiEpsilon", number_at(p, "renyi_epsilon")},
          {"renyiDelta", number_at(p, "renyi_delta")},
          {"renyiWhy", text_at(p, "renyi_why")},
          {"targetEpsilon", number_at(p, "target_epsilon")},
          {"spentAtRound", number_at(p, "spent_at_round")}};
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

Json object_of(std::string_view text, const std::string& path, const char* accepted) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw ConfigError(path, std::string("found what is no JSON object, accepted: ") + accepted);
  return json;
}

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

Json parse_summary(std::string_view text, const std::string& path) {
  Json json = object_of(text, path, "summary.json as a run writes it");
  if (!member(json, "parameters").is_array() || !member(json, "sampler").is_string())
    throw ConfigError(path, "found no parameters or no sampler in it, accepted: summary.json as a run writes it");
  for (const char* key : {"states", "status"})
    if (json.contains(key) && !json[key].is_string())
      throw ConfigError(path,
                        fmt::format("found \"{}\" that is no text, accepted: summary.json as a run writes it", key));
  return json;
}

Json parse_clients(std::string_view text, const std::string& path) {
  return object_of(text, path, "clients.json as a run writes it");
}

Json read_summary(const std::string& path) {
  return is_there(path) ? parse_summary(read_text(path), path) : Json(nullptr);
}
Json read_clients(const std::string& path) {
  return is_there(path) ? parse_clients(read_text(path), path) : Json(nullptr);
}

Json facts_of(const Json& s, const Json& draws) {
  const Json &setup = member(s, "setup"), &work = member(s, "work");
  const auto shape = [&](const char* read, const char* stored) {
    const Json& value = member(draws, read);
    if (value.is_number()) return value;
    return number_at(s, stored).is_null() ? Json(0) : number_at(s, stored);
  };
  const std::string states = text_at(s, "states");
  return {{"version", text_at(s, "version")},
          {"sampler", text_at(s, "sampler")},
          {"model", text_at(s, "model")},
          {"source", ""},
          {"states", states.empty() ? "draws" : states},
          {"seed", seed_at(s)},
          {"chains", shape("chains", "chains")},
          {"draws", shape("draws", "draws_per_chain")},
          {"iterations", number_at(s, "iterations")},
          {"burnIn", number_at(setup, "burn_in")},
          {"thin", number_at(setup, "thin")},
          {"step", number_at(setup, "step")},
          {"clients", number_at(setup, "clients")},
          {"trainRows", number_at(setup, "train_rows")},
          {"testRows", number_at(setup, "test_rows")},
          {"seconds", number_at(work, "seconds")},
          {"gradients", number_at(work, "gradients")},
          {"iterationsPerSecond", number_at(work, "iterations_per_second")}};
}

void add_stored_parts(Json& run, const Json& s) {
  const Json& ood = member(s, "ood");
  run["warnings"] = texts_at(s, "warnings");
  run["communication"] = communication(member(s, "communication"));
  run["scores"] = scores_of(member(s, "metrics"));
  run["clients"] = clients(member(s, "clients"));
  run["clientsInAll"] = member(s, "clients").is_array() ? member(s, "clients").size() : 0;
  run["reliability"] = reliability(member(s, "reliability"));
  run["confidence"] = confidence(member(s, "confidence"));
  run["ood"] =
      ood.is_object() ? Json({{"rows", number_at(ood, "rows")}, {"scores", scores_of(ood, {"rows"})}}) : Json(nullptr);
  run["privacy"] = privacy(member(s, "privacy"));
  run["network"] = network(member(s, "network"));
}

}  // namespace pollen::report
