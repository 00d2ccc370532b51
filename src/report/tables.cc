#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "parts.h"
#include "pollen/errors.h"
#include "sink/text.h"

namespace pollen::report {

namespace {

constexpr std::size_t kMostGroups = 200, kMostColumns = 100;

[[noreturn]] void refuse(const std::string& path, const char* part) {
  throw ConfigError(path, fmt::format("found \"{}\" without the lists and tables that belong to it, or with lists of "
                                      "different lengths; accepted: clients.json as a run writes it",
                                      part));
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

}  // namespace

Json metrics_table(std::string_view text, const std::string& path, std::size_t most) {
  auto lines = sink::split(text, '\n');
  lines.pop_back();  // what follows the last line end
  for (std::string_view& line : lines)
    if (line.ends_with('\r')) line.remove_suffix(1);
  std::erase(lines, "");
  const auto names = lines.empty() ? std::vector<std::string_view>{} : sink::split(lines.front(), ',');
  if (names.empty() || names.front() != "round")
    throw ConfigError(path, "found no line of column names that begins with round, accepted: metrics.csv of a run");
  const std::size_t rows = lines.size() - 1, shown = std::min(rows, most);
  std::vector<std::vector<double>> columns(names.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t at = (i + 1) * rows / shown;  // the last row is always among them; line 0 holds the names
    const auto cells = sink::split(lines[at], ',');
    const auto fail = [&](const std::string& what) {
      throw ConfigError(fmt::format("{}: row {}", path, at + 1), what);
    };
    if (cells.size() != names.size())
      fail(fmt::format("found {} cells, accepted: {}, as the names have", cells.size(), names.size()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      double value = std::numeric_limits<double>::quiet_NaN();  // an empty cell has no number
      const auto [end, error] = std::from_chars(cells[c].data(), cells[c].data() + cells[c].size(), value);
      if (!cells[c].empty() && (error != std::errc{} || end != cells[c].data() + cells[c].size()))
        fail(fmt::format("column {}: found \"{}\", accepted: a number or nothing", names[c], cells[c].substr(0, 40)));
      columns[c].push_back(value);
    }
  }
  Json values = Json::array();
  for (const auto& column : columns) values.push_back(numbers(column));
  return {{"columns", names}, {"values", std::move(values)}, {"rowsInAll", rows}};
}

Json participation_table(const Json& held, const std::string& path) {
  if (!held.is_object() || !held.contains("participation")) return nullptr;
  const Json& p = held["participation"];
  const auto at = [&](const char* key) -> const Json& { return member(p, key); };
  const std::size_t groups = at("groups").size(), bins = at("bin_ends").size();
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
  const auto at = [&](const char* key) -> const Json& { return member(h, key); };
  const std::size_t groups = at("groups").size(), labels = at("labels").size();
  const bool right = groups > 0 && groups <= kMostGroups && labels > 0 && labels <= kMostColumns &&
                     list_of(at("groups"), groups, is_text) && list_of(at("labels"), labels, is_text) &&
                     table_of_counts(at("counts"), groups, labels);
  if (!right) refuse(path, "labels");
  return {{"groups", h["groups"]}, {"labels", h["labels"]}, {"counts", h["counts"]}};
}

}  // namespace pollen::report
