#include "partition.h"

#include <fmt/format.h>

#include "builtin.h"
#include "data/client_files.h"
#include "phrases.h"
#include "pollen/errors.h"
#include "sources.h"

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
  if (input.spec.partition != "label-shards") return;
  if (input.spec.shards > rows / *input.spec.clients)
    throw ConfigError(key(input.where, "shards"),
                      fmt::format("found {} shards for each of {} clients, accepted: at most the {} rows in all",
                                  input.spec.shards, *input.spec.clients, rows));
}

void check_labels(const PartitionInput& input) {
  if (!input.encoding.classes.names.empty()) return;
  throw ConfigError(key(input.where, "partition"),
                    fmt::format("found \"{}\", which needs class labels, and the target has none, accepted: iid, "
                                "by-column, by-writer, given",
                                input.spec.partition));
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

std::vector<Rows> drawn(const PartitionInput& input, std::vector<std::string>& notes) {
  const auto clients = static_cast<std::uint32_t>(*input.spec.clients);
  check_counts(input);
  if (input.spec.partition == "iid")
    return split_iid(static_cast<std::uint32_t>(input.table.rows.size()), clients, input.seed);
  check_labels(input);
  if (input.spec.partition == "dirichlet") return dirichlet(input, notes);
  if (input.spec.partition != "label-shards") return by_shares(input, notes);
  return split_shards(input.encoding.classes.of_row, clients, static_cast<std::uint32_t>(input.spec.shards),
                      input.seed);
}

}  // namespace

const std::vector<std::string>& partitions() {
  static const std::vector<std::string> names = {"iid",         "dirichlet",          "label-shards", "dominant-label",
                                                 "label-pairs", "classes-per-client", "by-column",    "by-writer",
                                                 "given"};
  return names;
}

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
  if (input.spec.partition == "given") return by_file(input.table, false);
  if (input.spec.partition == "by-column" || input.spec.partition == "by-writer") return by_value(input, notes);
  Clients clients{drawn(input, notes), {}};
  for (std::size_t i = 0; i < clients.rows.size(); ++i) clients.names.push_back(fmt::format("{}", i + 1));
  return clients;
}

}  // namespace pollen::data
