#include "client_tables.h"

#include <algorithm>

#include "pollen/errors.h"

namespace pollen::report {

namespace {

constexpr std::size_t kMostGroups = 200, kMostColumns = 100;

[[noreturn]] void refuse(const std::string& path, const char* part) {
  throw ConfigError(path,
                    std::string("found \"") + part + "\" of another shape, accepted: clients.json as a run writes it");
}

template <class Is>
bool list_of(const Json& json, std::size_t size, Is is) {
  return json.is_array() && json.size() == size && std::all_of(json.begin(), json.end(), is);
}

bool is_count(const Json& json) { return json.is_number_unsigned(); }
bool is_text(const Json& json) { return json.is_string(); }

bool table_of_counts(const Json& json, std::size_t rows, std::size_t columns) {
  return list_of(json, rows, [&](const Json& row) { return list_of(row, columns, is_count); });
}

std::size_t size_at(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_array() ? json[key].size() : 0;
}

}  // namespace

Json participation_table(const Json& held, const std::string& path) {
  if (!held.is_object() || !held.contains("participation")) return nullptr;
  const Json& p = held["participation"];
  if (!p.is_object()) refuse(path, "participation");
  const std::size_t groups = size_at(p, "groups"), bins = size_at(p, "bin_ends");
  const auto at = [&](const char* key) { return p.contains(key) ? p[key] : Json(nullptr); };
  const bool right = groups > 0 && groups <= kMostGroups && bins > 0 && bins <= kMostColumns &&
                     list_of(at("groups"), groups, is_text) && list_of(at("clients"), groups, is_count) &&
                     list_of(at("bin_ends"), bins, is_count) && list_of(at("rounds"), bins, is_count) &&
                     table_of_counts(at("messages"), groups, bins) && is_count(at("chains"));
  if (!right) refuse(path, "participation");
  return {{"groups", p["groups"]},    {"clients", p["clients"]}, {"chains", p["chains"]},
          {"binEnds", p["bin_ends"]}, {"rounds", p["rounds"]},   {"messages", p["messages"]}};
}

Json label_table(const Json& held, const std::string& path) {
  if (!held.is_object() || !held.contains("labels")) return nullptr;
  const Json& h = held["labels"];
  if (!h.is_object()) refuse(path, "labels");
  const std::size_t groups = size_at(h, "groups"), labels = size_at(h, "labels");
  const bool right = groups > 0 && groups <= kMostGroups && labels > 0 && labels <= kMostColumns &&
                     list_of(h["groups"], groups, is_text) && list_of(h["labels"], labels, is_text) &&
                     h.contains("counts") && table_of_counts(h["counts"], groups, labels);
  if (!right) refuse(path, "labels");
  return {{"groups", h["groups"]}, {"labels", h["labels"]}, {"counts", h["counts"]}};
}

}  // namespace pollen::report
