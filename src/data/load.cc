// Loads a Federation from files or generators. This file only puts the steps in order.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "builtin.h"
#include "column_summary.h"
#include "data/column_handshake.h"
#include "data/phrases.h"
#include "data/store.h"
#include "encode.h"
#include "identifiers.h"
#include "min_cell.h"
#include "partition.h"
#include "pollen/data.h"
#include "pollen/errors.h"
#include "row_text.h"
#include "sources.h"
#include "spill.h"
#include "store_layout.h"
#include "store_writer.h"
#include "tables.h"

namespace pollen {

namespace {

// Returns the spec with the decisions that follow from source and model. A model without a target (gaussian) takes its
// rows unchanged.
DataSpec with_model_defaults(DataSpec spec, TargetKind target) {
  spec = with_defaults(std::move(spec));
  if (target == TargetKind::none) {
    spec.standardize = false;
    spec.intercept = false;
    spec.constant = "keep";
    spec.test_fraction = 0.0;
  }
  if (!spec.test_source.empty()) spec.test_fraction = 0.0;
  const std::string source = spec.sources.empty() ? "" : spec.sources.front();
  if (source == "synthetic-logistic") {
    spec.target = "label";
    spec.levels = {{"label", {"0", "1"}}};
  }
  if (source == "synthetic-mixed") spec.target = data::kMixedTarget;
  return spec;
}

// A table whose columns have their roles and are no identifiers.
struct ReadTable {
  data::RawTable table;
  data::Roles roles;
};

ReadTable read_table(const DataSpec& spec, TargetKind target, std::uint64_t seed, const std::string& where) {
  data::check_spec(spec, target, where);
  ReadTable read{data::read_sources(spec, seed, where), {}};
  read.roles = data::assign_roles(read.table, spec, target, where);
  data::refuse_identifiers(read.table, read.roles, spec);
  return read;
}

std::string target_of(const data::RawTable& table, const data::Roles& roles) {
  return roles.target < 0 ? std::string() : table.columns[static_cast<std::size_t>(roles.target)].name;
}

// Applies data.positive to the labels of one client, which need not have all of them.
data::Levels merged(data::Levels classes, const std::vector<std::string>& positive) {
  if (positive.empty() || classes.names.empty()) return classes;
  for (std::uint32_t& label : classes.of_row) label = std::ranges::count(positive, classes.names[label]) > 0 ? 1 : 0;
  classes.names = data::merged_labels(classes.names, positive);
  return classes;
}

// Gives text columns the levels that all clients have agreed on, in place of those that occur in this table.
void take_levels(const data::RawTable& table, const ColumnFacts& agreed, const DataSpec& spec,
                 data::Encoding& encoding) {
  for (data::Feature& feature : encoding.features) {
    if (!feature.text) continue;
    const std::string& name = table.columns[feature.column].name;
    const std::vector<std::string>& levels = agreed.levels.at(name);
    for (std::uint32_t& level : feature.levels.of_row) {
      const std::string& found = feature.levels.names[level];
      const auto at = std::ranges::find(levels, found);
      if (at == levels.end())
        throw ConfigError(fmt::format("{}: column {}", table.files.front(), name), data::unknown_name(found, levels));
      level = static_cast<std::uint32_t>(at - levels.begin());
    }
    feature.levels.names = levels;
  }
  data::lay_out(table, spec, encoding);
}

// Loads a federation whose client 0 has the number `first_client` in the whole federation. With data.min_cell, levels
// are pooled before they become those of `agreed`, if there is one.
Federation load(const DataSpec& spec, TargetKind target, std::uint64_t seed, const std::string& where,
                std::uint32_t first_client, const data::TableMemory& memory, const ColumnFacts* agreed = nullptr) {
  const bool intercept = *spec.intercept;
  auto [table, roles] = read_table(spec, target, seed, where);
  if (table.rows.size() >= std::numeric_limits<std::uint32_t>::max())
    throw ConfigError(table.files.front(), fmt::format("found {} rows, accepted: below 2^32", table.rows.size()));
  Federation federation;
  federation.columns = data::summaries_of(table, roles.used());
  data::complete_cells(table, roles, spec, federation.notes);
  data::check_target(table, roles, target);
  data::Encoding encoding = data::encode(table, roles, spec, target);
  if (encoding.width == 0 && !intercept)
    throw ConfigError(table.files.front(), "found no features, accepted: at least one column besides the target");

  const data::PartitionInput input{table, roles, encoding, spec, seed, where};
  data::Clients clients = data::partition(input, federation.notes);
  const std::vector<std::string> doubts = data::site_notes(input, clients);
  federation.notes.insert(federation.notes.end(), doubts.begin(), doubts.end());
  federation.client_names = std::move(clients.names);
  federation.class_names = encoding.classes.names;
  const data::Holdout holdout =
      data::hold_out(clients.rows, encoding.classes.of_row, spec.test_fraction, seed, first_client);
  const bool pools = spec.min_cell > 0 && target != TargetKind::none;
  if (pools) {
    const std::string target_name = fmt::format("{}: column {}", table.files.front(), target_of(table, roles));
    const data::RowsOfClients all{holdout, encoding.classes.of_row, encoding.classes.names, federation.client_names,
                                  target_name};
    data::check_labels(all, spec.min_cell);
    data::pool_levels(table, all, spec, encoding, federation.notes);
    if (agreed != nullptr) take_levels(table, *agreed, spec, encoding);
  }
  federation.setup_bits = federation.level_bits = data::exchange_bits(encoding, clients.rows);
  federation.intercept = intercept;
  data::fill_tables({table, encoding, intercept, memory}, holdout, federation);

  federation.layout = data::facts_of(table, roles, encoding);
  const std::string source = data::listed(table.files, 3);
  const Index in_given = data::add_given_rows(input, target, memory, federation);
  if (const Index missing = data::missing_cells(table, roles) + in_given; missing > 0) {
    data::impute_means(source, federation);
    federation.imputed = missing;
    federation.notes.push_back(fmt::format("{}: {} missing cell{} took {} column's mean", source, missing,
                                           missing == 1 ? "" : "s", missing == 1 ? "its" : "their"));
  }
  if (pools) data::pool_numbers(encoding, spec, federation);
  if (pools_columns(spec, target)) data::settle_columns(source, spec, federation);
  return federation;
}

// Returns the spec for reading one client's file by itself, where the partition does not matter.
DataSpec of_file(const std::string& file, DataSpec spec) {
  spec.sources = {file};
  // This is the format of the whole federation; a client has a file of rows.
  if (spec.format == data::kStoreFormat) spec.format.clear();
  spec.partition = "iid";
  spec.clients = 1;
  spec.one_of_several = true;
  // A client does not read the files that belong to the whole federation.
  spec.test_source.clear();
  spec.test_labels.clear();
  spec.ood_source.clear();
  spec.distill_source.clear();
  return spec;
}

}  // namespace

Federation load_federation(const DataSpec& asked, TargetKind target, std::uint64_t seed, const std::string& where) {
  if (is_store(asked)) {
    Federation stored = data::map_store(asked.sources.front(), target);
    data::add_moments(asked, stored);
    return stored;
  }
  return load(with_model_defaults(asked, target), target, seed, where, 0, data::heap_memory);
}

void convert_to_store(const Conversion& c, const std::string& file) {
  if (is_store(c.spec)) throw ConfigError(c.spec.sources.front(), "found a store, accepted: data to make one from");
  DataSpec spec = with_model_defaults(c.spec, c.target);
  spec.most_cells = Index{1} << 40;                   // only the disk limits the size
  spec.column_moments = spec.target_moments = false;  // runs take these from the store
  data::StoreWriter writer(file);
  const data::SpillFolder spill(std::filesystem::path(file).parent_path().string());
  const Federation federation =
      load(spec, c.target, c.seed, c.where, 0, [&](std::size_t count) { return writer.zeros(count); });
  if (federation.class_names.size() > c.most_classes)
    throw ConfigError(
        fmt::format("{}: column {}", c.spec.sources.front(), federation.layout.target),
        fmt::format("found {} different values, accepted: at most {} labels unless model.kind says what the "
                    "target is (--set model.kind=linear for a number, softmax for classes)",
                    federation.class_names.size(), c.most_classes));
  writer.finish(federation, c);
}

std::vector<std::string> used_columns(const std::string& file, const DataSpec& asked, TargetKind target) {
  DataSpec spec = with_model_defaults(of_file(file, asked), target);
  spec.limit = 1;
  const data::RawTable table = data::read_sources(spec, 0, file);
  std::vector<std::string> names;
  for (const std::size_t c : data::assign_roles(table, spec, target, file).used())
    names.push_back(table.columns[c].name);
  return names;
}

std::vector<ColumnSummary> cells_of_file(const std::string& file, const DataSpec& asked, TargetKind target) {
  const DataSpec spec = with_model_defaults(of_file(file, asked), target);
  const data::RawTable table = data::read_sources(spec, 0, file);
  return data::summaries_of(table, data::assign_roles(table, spec, target, file).used());
}

FileFacts file_facts(const std::string& file, const DataSpec& asked, TargetKind target, std::uint32_t client,
                     std::uint64_t seed, const RowText& each) {
  const DataSpec spec = with_model_defaults(of_file(file, asked), target);
  auto [table, roles] = read_table(spec, target, 0, file);
  FileFacts facts;
  facts.cells = data::summaries_of(table, roles.used());
  data::complete_cells(table, roles, spec, facts.notes);
  data::check_target(table, roles, target);
  data::Encoding encoding = data::encode_columns(table, roles, spec, target);
  for (const auto& [name, levels] : data::facts_of(table, roles, encoding).levels)
    facts.levels[name] = std::ssize(levels);
  if (spec.min_cell > 0 && target != TargetKind::none) {
    data::Levels classes = merged(encoding.classes, spec.positive);
    data::Rows every(table.rows.size());
    std::iota(every.begin(), every.end(), 0U);
    const data::Holdout holdout = data::hold_out({every}, classes.of_row, spec.test_fraction, seed, client);
    const std::string target_name = fmt::format("{}: column {}", file, target_of(table, roles));
    const ClientNames nobody;
    const data::RowsOfClients all{holdout, classes.of_row, classes.names, nobody, target_name};
    data::check_labels(all, spec.min_cell);
    data::pool_levels(table, all, spec, encoding, facts.notes);
  }
  facts.test_rows = data::held_out(std::ssize(table.rows), spec.test_fraction);
  facts.rows = std::ssize(table.rows) - facts.test_rows;
  facts.columns = data::facts_of(table, roles, encoding);
  if (each.take) facts.told_apart = data::tell_rows(table, spec, each);
  return facts;
}

Federation load_part(const std::string& file, const DataSpec& asked, const ColumnFacts& layout, TargetKind target,
                     std::uint32_t client, std::uint64_t seed) {
  DataSpec spec = with_model_defaults(of_file(file, asked), target);
  if (layout.width == 0) spec.features = layout.columns;
  spec.target = layout.target;
  spec.levels = layout.levels;
  if (spec.min_cell > 0)  // the file's own levels are pooled before they become those of the layout
    for (const std::string& name : layout.columns) {
      const auto given = asked.levels.find(name);
      spec.levels.erase(name);
      if (given != asked.levels.end()) spec.levels.insert(*given);
    }
  spec.standardize = false;
  spec.constant = "keep";
  Federation part = load(spec, target, seed, file, client, data::heap_memory, &layout);
  part.setup_bits = part.level_bits = 0;
  return part;
}

}  // namespace pollen
