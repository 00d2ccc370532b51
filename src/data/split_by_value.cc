// Partitioners whose clients are the values of a column: by-column and by-writer.
#include <fmt/format.h>

#include <algorithm>

#include "partition.h"
#include "phrases.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

// Returns all clients with at least `least_rows` rows, sorted like the column's levels.
Clients of_values(const PartitionInput& input, std::size_t& largest) {
  const Column& column = input.table.columns[static_cast<std::size_t>(input.roles.client)];
  const Levels levels = levels_of(input.table, column, input.spec);
  std::vector<Rows> rows(levels.names.size());
  for (std::uint32_t r = 0; r < levels.of_row.size(); ++r) rows[levels.of_row[r]].push_back(r);
  const std::string prefix = input.spec.partition == "by-writer" ? "writer " : "";
  Clients clients;
  for (std::size_t l = 0; l < rows.size(); ++l) {
    largest = std::max(largest, rows[l].size());
    if (std::ssize(rows[l]) < input.spec.least_rows) continue;  // a level from data.levels may have no rows at all
    clients.rows.push_back(std::move(rows[l]));
    clients.names.push_back(prefix + levels.names[l]);
  }
  return clients;
}

}  // namespace

Clients by_value(const PartitionInput& input, std::vector<std::string>& notes) {
  std::size_t largest = 0;
  Clients clients = of_values(input, largest);
  if (clients.rows.empty())
    throw ConfigError(
        key(input.where, "least_rows"),
        fmt::format("found {}, accepted: at most the {} rows of the largest client", input.spec.least_rows, largest));
  const auto most = static_cast<std::size_t>(input.spec.clients.value_or(std::ssize(clients.rows)));
  if (input.spec.partition == "by-writer" && most < clients.rows.size()) {
    clients.rows.resize(most);
    clients.names.resize(most);
  }
  std::size_t kept = 0;
  for (const Rows& rows : clients.rows) kept += rows.size();
  if (kept < input.table.rows.size())
    notes.push_back(fmt::format("partition: {} of {} rows are left out, with their clients",
                                input.table.rows.size() - kept, input.table.rows.size()));
  return clients;
}

}  // namespace pollen::data
