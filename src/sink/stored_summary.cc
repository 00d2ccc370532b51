#include "sink/stored_summary.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "numbers.h"
#include "pollen/errors.h"

namespace pollen::sink {

namespace {

double number_of(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::vector<double> flat_rows(const Json& rows, std::size_t width) {
  std::vector<double> flat;
  for (const Json& row : rows) {
    if (row.size() != width)
      throw std::invalid_argument(
          fmt::format("a row of covariance with {} numbers beside {} means", row.size(), width));
    for (const Json& value : row) flat.push_back(number_of(value));
  }
  return flat;
}

// Removes a leading "[json.exception.type_error.302] " from an error message.
std::string plain(const std::string& what) {
  const std::size_t end = what.starts_with("[json") ? what.find("] ") : std::string::npos;
  return end == std::string::npos ? what : what.substr(end + 2);
}

TransitionFacts transitions_of(const Json& json) {
  TransitionFacts facts;
  if (!json.contains("trajectories")) return facts;
  for (const Json& c : json["trajectories"]) {
    const bool tree = !c.at("saturated").is_null();
    facts.chains.push_back({c.at("transitions").get<std::int64_t>(), c.at("divergent").get<std::int64_t>(),
                            tree ? c.at("saturated").get<std::int64_t>() : 0, number_of(c.at("ebfmi"))});
    if (tree) facts.max_depth = json.at("setup").at("max_depth").get<int>();
  }
  return facts;
}

std::int64_t count_in(const Json& json, const char* key) {
  const bool any = json.is_object() && json.contains(key) && json[key].is_number_integer();
  return any ? json[key].get<std::int64_t>() : 0;
}

// Returns nothing if the file is of an earlier build, whose verdict is made anew.
std::optional<Verdict> verdict_in(const Json& json) {
  if (!json.contains("verdict") || !json["verdict"].is_object()) return std::nullopt;
  const Json& stored = json["verdict"];
  Verdict verdict;
  if (!stored.at("converged").is_null()) verdict.converged = stored["converged"].get<bool>();
  verdict.words = stored.at("words").get<std::string>();
  verdict.reasons = stored.at("reasons").get<std::vector<std::string>>();
  return verdict;
}

std::optional<DrawCost> cost_in(const Json& json) {
  const auto found = json.find("per_effective_draw");
  if (found == json.end() || !found->is_object()) return std::nullopt;
  const auto of = [&](const char* name) { return number_of(found->at(name)); };
  return DrawCost{of("effective_draws"), of("rounds"), of("uplink_bits"), of("downlink_bits"), of("gradients")};
}

StoredSummary from_json(const Json& json) {
  StoredSummary s;
  s.status = json.value("status", "complete");
  s.states = json.value("states", "draws");
  s.sampler = json.at("sampler").get<std::string>();
  s.model = json.at("model").get<std::string>();
  s.chains = json.at("chains").get<Index>();
  s.draws = json.at("draws_per_chain").get<Index>();
  s.iterations = count_in(json, "iterations");
  if (json.contains("setup")) s.burn_in = count_in(json["setup"], "burn_in");
  s.verdict = verdict_in(json);
  if (const auto target = json.find("target"); target != json.end() && target->is_object()) {
    s.units = target->value("units", "");
    s.ratios.name = target->value("ratio", "");
  }
  for (const Json& p : json.at("parameters")) {
    s.ratios.of.push_back(p.contains("ratio"));
    s.names.push_back(p.at("name").get<std::string>());
    s.labels.push_back(p.at("label").get<std::string>());
    stats::ParameterSummary& parameter = s.parameters.emplace_back();
    for (const SummaryNumber& number : kSummaryNumbers)
      parameter.*number.value = number_of(p.at(shown_name(number, s.states)));
  }
  if (json.contains("covariance")) s.covariance = flat_rows(json["covariance"], s.parameters.size());
  for (const Json& line : json.at("warnings")) {
    s.warnings.push_back(line.get<std::string>());
    s.coupled = s.coupled || s.warnings.back().find("run.coupled") != std::string::npos;
  }
  s.transitions = transitions_of(json);
  s.cost = cost_in(json);
  if (json.contains("estimates")) {
    s.last = json["estimates"].at("last").get<std::vector<std::vector<double>>>();
    s.average = json["estimates"].at("average").get<std::vector<std::vector<double>>>();
    if (json["estimates"].contains("covariance"))
      s.own_covariance = flat_rows(json["estimates"]["covariance"], s.parameters.size());
  }
  return s;
}

}  // namespace

std::optional<StoredSummary> read_stored_summary(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  try {
    return from_json(Json::parse(read_text(path)));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

RunFacts facts_of(const StoredSummary& stored) {
  RunFacts facts;
  facts.sampler = stored.sampler;
  facts.model = stored.model;
  facts.chains = stored.chains;
  facts.iterations = facts.done = stored.iterations;
  facts.burn_in = stored.burn_in;
  facts.coupled = stored.coupled;
  facts.labels = stored.labels;
  facts.transitions = stored.transitions;
  facts.exact = has_trajectories(stored.sampler) || stored.sampler == "mala";
  facts.states = states_named(stored.states);
  facts.status = status_named(stored.status);
  return facts;
}

stats::Moments read_moments(const std::string& path) {
  constexpr const char* kAccepted = "accepted: JSON with \"mean\" (d numbers) and \"covariance\" (d rows of d numbers)";
  try {
    const Json json = Json::parse(read_text(path));
    if (!json.is_object()) throw std::invalid_argument("JSON that is not an object");
    stats::Moments m;
    if (json.contains("mean")) {
      m.mean = json["mean"].get<std::vector<double>>();
    } else {
      for (const auto& p : from_json(json).parameters) m.mean.push_back(p.mean);
    }
    m.covariance = flat_rows(json.at("covariance"), m.mean.size());
    if (m.mean.empty() || m.covariance.size() != m.mean.size() * m.mean.size())
      throw std::invalid_argument(
          fmt::format("{} means and {} numbers of covariance", m.mean.size(), m.covariance.size()));
    return m;
  } catch (const IoError& error) {
    throw ConfigError("", error.what());
  } catch (const std::exception& error) {
    throw ConfigError(path, fmt::format("found {}, {}", plain(error.what()), kAccepted));
  }
}

}  // namespace pollen::sink
