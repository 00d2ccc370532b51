#include "data/network_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "data/phrases.h"
#include "pollen/errors.h"
#include "readers.h"

namespace pollen {

namespace {

using data::Column;
using data::RawTable;

struct Field {
  const char* name;
  double TraceRow::*member;
  double least, most;
  const char* accepted;
};

constexpr const char* kRate = "a number from 1e-6 to 1e12";
constexpr Field kFields[] = {
    {"uplink_mbps", &TraceRow::uplink_mbps, 1e-6, 1e12, kRate},
    {"downlink_mbps", &TraceRow::downlink_mbps, 1e-6, 1e12, kRate},
    {"latency_ms", &TraceRow::latency_ms, 0, 1e9, "a number from 0 to 1e9"},
    {"gradients_per_second", &TraceRow::gradients_per_second, 1e-6, 1e12, kRate},
    {"availability", &TraceRow::availability, 1e-6, 1, "a number from 1e-6 to 1"},
};

std::vector<std::string> accepted_columns() {
  std::vector<std::string> names = {"client"};
  for (const Field& field : kFields) names.emplace_back(field.name);
  return names;
}

// Throws ConfigError if a column is missing (availability is optional) or unknown.
void check_columns(const RawTable& table, const std::string& file) {
  const std::vector<std::string> accepted = accepted_columns();
  Problems problems;
  for (const Column& column : table.columns)
    if (std::ranges::count(accepted, column.name) == 0)
      problems.add(file + ": row 1", data::unknown_name(column.name, accepted));
  for (const std::string& name : accepted)
    if (name != "availability" && std::ranges::count(table.columns, name, &Column::name) == 0)
      problems.add(file + ": row 1", fmt::format("found no column {}, accepted: {}", name, data::listed(accepted)));
  problems.raise();
}

std::string cell_of(const Column& column, std::size_t r) {
  if (column.missing(r)) return "an empty cell";
  if (column.code[r] >= 0) return data::in_quotes(column.text(r));
  return fmt::format("{}", column.number[r]);
}

// Reads the fields of row r. Adds to `problems`.
void read_fields(const RawTable& table, std::size_t r, TraceRow& row, Problems& problems) {
  for (const Field& field : kFields) {
    const auto column = std::ranges::find(table.columns, field.name, &Column::name);
    if (column == table.columns.end()) continue;
    const double value = column->number[r];
    if (column->code[r] != Column::kNumber || !(value >= field.least && value <= field.most))
      problems.add(table.where(r, field.name),
                   fmt::format("found {}, accepted: {}", cell_of(*column, r), field.accepted));
    row.*field.member = value;
  }
}

}  // namespace

std::vector<TraceRow> read_network_trace(const std::string& file, const std::vector<std::string>& clients) {
  const RawTable table = data::parse_csv(data::read_file(file), {true, {"client"}, 0}, file);
  check_columns(table, file);
  const Column& names = *std::ranges::find(table.columns, std::string("client"), &Column::name);
  std::unordered_map<std::string, std::size_t> index;  // only looked up, never iterated
  for (std::size_t i = 0; i < clients.size(); ++i) index.emplace(clients[i], i);
  std::vector<TraceRow> rows(clients.size());
  std::vector<std::uint32_t> seen(clients.size(), 0);  // the file's row for each client; 0 if not seen yet
  Problems problems;
  for (std::size_t r = 0; r < table.rows.size() && !problems.full(); ++r) {
    const std::string name = names.code[r] >= 0 ? names.text(r) : "";
    const auto at = index.find(name);
    if (at == index.end()) {
      problems.add(table.where(r, names.name), data::unknown_name(name, clients));
    } else if (std::uint32_t& first = seen[at->second]; first != 0) {
      problems.add(table.where(r, names.name), fmt::format("found {} again, as in row {}, accepted: one row per client",
                                                           data::in_quotes(name), first));
    } else {
      first = table.rows[r].line;
      read_fields(table, r, rows[at->second], problems);
    }
  }
  problems.raise();
  if (const auto missing = std::ranges::find(seen, 0U); missing != seen.end()) {
    const auto left = std::ranges::count(seen, 0U);
    throw ConfigError(file, fmt::format("found no row for client {}{}, accepted: one for each of the {} clients",
                                        data::in_quotes(clients[static_cast<std::size_t>(missing - seen.begin())]),
                                        left > 1 ? fmt::format(" and {} others", left - 1) : "", clients.size()));
  }
  return rows;
}

}  // namespace pollen
