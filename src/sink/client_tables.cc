#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "numbers.h"
#include "run/experiment.h"
#include "sink/personal.h"

namespace pollen::sink {

namespace {

constexpr std::size_t kMostLabels = 100;

Json group_names(const ParticipationTally& tally, const ClientNames& names) {
  Json out = Json::array();
  for (Index g = 0; g < tally.groups(); ++g) {
    const std::size_t first = at(tally.first_client(g)), last = at(tally.first_client(g + 1)) - 1;
    out.push_back(first == last ? names[first] : fmt::format("{} to {}", names[first], names[last]));
  }
  return out;
}

Json participation(const ParticipationTally& tally, Index chains, const ClientNames& names) {
  Json clients = Json::array(), ends = Json::array(), rounds = Json::array(), messages = Json::array();
  for (Index b = 0; b < tally.bins(); ++b) {
    ends.push_back(tally.last_iteration(b));
    rounds.push_back(tally.rounds(b));
  }
  for (Index g = 0; g < tally.groups(); ++g) {
    clients.push_back(tally.first_client(g + 1) - tally.first_client(g));
    Json& row = messages.emplace_back(Json::array());
    for (Index b = 0; b < tally.bins(); ++b) row.push_back(tally.messages(g, b));
  }
  return {{"groups", group_names(tally, names)}, {"clients", std::move(clients)}, {"chains", chains},
          {"bin_ends", std::move(ends)},         {"rounds", std::move(rounds)},   {"messages", std::move(messages)}};
}

// Counts labels per group of clients. Returns null if the target has no labels or too many, or if rows are in other
// processes.
Json labels(const ParticipationTally& tally, const ClientNames& names, const Federation& data) {
  const std::size_t classes = data.class_names.size();
  const bool here = data.clients() > 0 && tally.first_client(tally.groups()) == data.clients() &&
                    data.train.rows == data.train_begin.back();
  if (classes == 0 || classes > kMostLabels || !here || data.train.rows == 0) return nullptr;
  Json counts = Json::array();
  for (Index g = 0; g < tally.groups(); ++g) {
    std::vector<std::uint64_t> row(classes, 0);
    const Index from = data.train_begin[at(tally.first_client(g))],
                to = data.train_begin[at(tally.first_client(g + 1))];
    for (Index r = from; r < to; ++r) ++row[static_cast<std::size_t>(data.train.y[at(r)])];
    counts.push_back(std::move(row));
  }
  return {{"groups", group_names(tally, names)}, {"labels", data.class_names}, {"counts", std::move(counts)}};
}

}  // namespace

std::string client_tables(const Experiment& experiment) {
  const auto clients = static_cast<std::size_t>(experiment.clients());
  ClientNames names = experiment.data().client_names;
  if (names.size() != clients) names = ClientNames(experiment.config().federation.expect);
  if (names.size() != clients) names = ClientNames(clients);
  const ParticipationTally& tally = experiment.participation();
  Json json = Json::object();
  if (!tally.empty()) json["participation"] = participation(tally, experiment.config().run.chains, names);
  // Label counts come directly from the data, which no privacy accountant covers. They are left out if privacy is asked
  // for.
  if (!experiment.privacy().asked())
    if (Json counted = labels(tally, names, experiment.data()); !counted.is_null()) json["labels"] = std::move(counted);
  return compact(json) + '\n';
}

}  // namespace pollen::sink
