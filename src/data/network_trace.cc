#include "data/network_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "phrases.h"
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
  if (column.code[r] >= 0) return data::in_quotes(column.texts[static_cast<std::size_t>(column.code[r])]);
  return fmt::format("{}", column.number[r]);
}

class TraceReader {
 public:
  TraceReader(const RawTable& table, const std::string& file, const std::vector<std::string>& clients)
      : table_(table), file_(file), clients_(clients), rows_(clients.size()), seen_(clients.size(), 0) {
    for (std::size_t i = 0; i < clients.size(); ++i) index_.emplace(clients[i], i);
    for (const Column& column : table.columns)
      if (column.name == "client") names_ = &column;
  }

  std::vector<TraceRow> read() {
    for (std::size_t r = 0; r < table_.rows.size() && !problems_.full(); ++r) read_row(r);
    problems_.raise();
    const auto missing = std::ranges::find(seen_, 0U);
    if (missing != seen_.end()) {
      const auto left = std::ranges::count(seen_, 0U);
      throw ConfigError(file_, fmt::format("found no row for client {}{}, accepted: one for each of the {} clients",
                                           data::in_quotes(clients_[static_cast<std::size_t>(missing - seen_.begin())]),
                                           left > 1 ? fmt::format(" and {} others", left - 1) : "", clients_.size()));
    }
    return std::move(rows_);
  }

 private:
  std::string where(std::size_t r) const { return fmt::format("{}: row {}", file_, table_.rows[r].line); }

  void read_row(std::size_t r) {
    const std::string name = names_->code[r] >= 0 ? names_->texts[static_cast<std::size_t>(names_->code[r])] : "";
    const auto at = index_.find(name);
    if (at == index_.end()) return problems_.add(where(r) + ", column client", data::unknown_name(name, clients_));
    if (seen_[at->second] != 0)
      return problems_.add(where(r) + ", column client",
                           fmt::format("found {} again, as in row {}, accepted: one row per client",
                                       data::in_quotes(name), seen_[at->second]));
    seen_[at->second] = table_.rows[r].line;
    for (const Field& field : kFields) {
      const auto column = std::ranges::find(table_.columns, field.name, &Column::name);
      if (column == table_.columns.end()) continue;
      const double value = column->number[r];
      if (column->code[r] != Column::kNumber || !(value >= field.least && value <= field.most))
        problems_.add(where(r) + ", column " + field.name,
                      fmt::format("found {}, accepted: {}", cell_of(*column, r), field.accepted));
      rows_[at->second].*field.member = value;
    }
  }

  const RawTable& table_;
  const std::string& file_;
  const std::vector<std::string>& clients_;
  const Column* names_ = nullptr;
  std::unordered_map<std::string, std::size_t> index_;  // only looked up, never iterated
  std::vector<TraceRow> rows_;
  std::vector<std::uint32_t> seen_;  // the file's row for each client; 0 if not seen yet
  Problems problems_;
};

}  // namespace

std::vector<TraceRow> read_network_trace(const std::string& file, const std::vector<std::string>& clients) {
  const RawTable table = data::parse_csv(data::read_file(file), {true, {"client"}, 0}, file);
  check_columns(table, file);
  return TraceReader(table, file, clients).read();
}

}  // namespace pollen
