#include "partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "builtin.h"
#include "data/column_handshake.h"
#include "data/phrases.h"
#include "data/registries.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

Clients by_file(const RawTable& table, bool synthetic) {
  Clients clients;
  clients.rows.resize(table.files.size());
  clients.names = synthetic ? table.files : names_of_files(table.files);
  for (std::uint32_t r = 0; r < table.rows.size(); ++r) clients.rows[table.rows[r].source].push_back(r);
  return clients;
}

void check_counts(const PartitionInput& input) {
  const auto rows = std::ssize(input.table.rows);
  if (*input.spec.clients > rows)
    throw ConfigError(key(input.where, "clients"),
                      fmt::format("found {}, accepted: at most the {} rows", *input.spec.clients, rows));
}

void check_labels(const PartitionInput& input) {
  if (!input.encoding.classes.names.empty()) return;
  std::vector<std::string> others;
  for (const PartitionRow& row : partitions())
    if (!row.labels) others.push_back(row.name);
  throw ConfigError(key(input.where, "partition"),
                    fmt::format("found \"{}\", which needs class labels, and the target has none, accepted: {}",
                                input.spec.partition, listed(others)));
}

std::vector<Rows> iid(const PartitionInput& input, std::vector<std::string>&) {
  return split_iid(static_cast<std::uint32_t>(input.table.rows.size()), static_cast<std::uint32_t>(*input.spec.clients),
                   input.seed);
}

std::vector<Rows> label_shards(const PartitionInput& input, std::vector<std::string>&) {
  const auto rows = std::ssize(input.table.rows);
  if (input.spec.shards > rows / *input.spec.clients)
    throw ConfigError(key(input.where, "shards"),
                      fmt::format("found {} shards for each of {} clients, accepted: at most the {} rows in all",
                                  input.spec.shards, *input.spec.clients, rows));
  return split_shards(input.encoding.classes.of_row, static_cast<std::uint32_t>(*input.spec.clients),
                      static_cast<std::uint32_t>(input.spec.shards), input.seed);
}

std::vector<Rows> dirichlet(const PartitionInput& input, std::vector<std::string>& notes) {
  const DirichletOptions options{static_cast<std::uint32_t>(*input.spec.clients), input.spec.dirichlet_alpha, 100};
  DirichletSplit split = split_dirichlet(input.encoding.classes.of_row, options, input.seed);
  if (split.redraws > 0 && split.moved == 0)
    notes.push_back(fmt::format("partition: redrawn {} times, since a client had no training rows", split.redraws));
  if (split.moved > 0)
    notes.push_back(fmt::format("partition: after {} redraws {} clients without rows took one each from the largest",
                                split.redraws, split.moved));
  return std::move(split.clients);
}

// Wraps a partitioner whose clients are named by their numbers.
template <std::vector<Rows> (*draw)(const PartitionInput&, std::vector<std::string>&)>
Clients numbered(const PartitionInput& input, std::vector<std::string>& notes) {
  check_counts(input);
  if (partitions().at(input.spec.partition).labels) check_labels(input);
  Clients clients{draw(input, notes), {}};
  for (std::size_t i = 0; i < clients.rows.size(); ++i) clients.names.push_back(fmt::format("{}", i + 1));
  return clients;
}

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

// Implements by-column and by-writer. Clients with fewer than data.least_rows rows are left out, and by-writer keeps
// the first data.clients of the others. Adds to `notes`.
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

}  // namespace

std::vector<Rows> rows_by_label(const std::vector<std::uint32_t>& labels) {
  std::vector<Rows> of_label;
  for (std::uint32_t r = 0; r < labels.size(); ++r) {
    if (labels[r] >= of_label.size()) of_label.resize(labels[r] + std::size_t{1});
    of_label[labels[r]].push_back(r);
  }
  return of_label;
}

Clients partition(const PartitionInput& input, std::vector<std::string>& notes) {
  const std::string& source = input.spec.sources.front();
  if (is_synthetic(source)) {
    if (input.spec.partition != "iid" && input.spec.partition != "given")
      notes.push_back(
          fmt::format("data.partition = \"{}\" is not used: {} makes its own clients", input.spec.partition, source));
    return by_file(input.table, true);
  }
  return partitions().at(input.spec.partition).split(input, notes);
}

}  // namespace pollen::data

namespace pollen {

const Registry<PartitionRow>& partitions() {
  using namespace data;
  static const Registry<PartitionRow> rows(
      "data.partition",
      {{"iid", "rows dealt at random, equally many to each client", "clients", false, numbered<iid>},
       {"dirichlet", "each label's shares over clients from a Dirichlet law (Hsu et al. 2019)",
        "clients dirichlet_alpha", true, numbered<dirichlet>},
       {"label-shards", "rows sorted by label, cut into shards, some per client (McMahan et al. 2017)",
        "clients shards", true, numbered<label_shards>},
       {"dominant-label", "each client has much of one label and little of the others",
        "clients dominant_share other_share", true, numbered<by_shares>},
       {"label-pairs", "each label goes mostly to its own clients, the rest to all others", "clients dominant_share",
        true, numbered<by_shares>},
       {"classes-per-client", "each client has a few labels (FedRep, FedPop)", "clients classes_per_client", true,
        numbered<by_shares>},
       {"by-column", "one client per value of a column", "column least_rows", false, by_value},
       {"by-writer", "one client per writer of the images", "clients writers least_rows", false, by_value},
       {"given", "one client per file of data.source", "", false,
        [](const PartitionInput& input, std::vector<std::string>&) { return by_file(input.table, false); }}});
  return rows;
}

}  // namespace pollen
