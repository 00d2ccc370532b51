// Loads a Federation from files or generators. This file only puts the steps in order.
#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "builtin.h"
#include "data/column_handshake.h"
#include "data/phrases.h"
#include "data/store.h"
#include "encode.h"
#include "partition.h"
#include "pollen/data.h"
#include "pollen/errors.h"
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

// Loads a federation whose client 0 has the number `first_client` in the whole federation.
Federation load(const DataSpec& spec, TargetKind target, std::uint64_t seed, const std::string& where,
                std::uint32_t first_client, const data::TableMemory& memory) {
  const bool intercept = *spec.intercept;
  data::check_spec(spec, target, where);
  data::RawTable table = data::read_sources(spec, seed, where);
  if (table.rows.size() >= std::numeric_limits<std::uint32_t>::max())
    throw ConfigError(table.files.front(), fmt::format("found {} rows, accepted: below 2^32", table.rows.size()));
  Federation federation;
  const data::Roles roles = data::assign_roles(table, spec, target, where);
  data::complete_cells(table, roles, spec, federation.notes);
  data::check_target(table, roles, target);
  const data::Encoding encoding = data::encode(table, roles, spec, target);
  if (encoding.width == 0 && !intercept)
    throw ConfigError(table.files.front(), "found no features, accepted: at least one column besides the target");

  const data::PartitionInput input{table, roles, encoding, spec, seed, where};
  data::Clients clients = data::partition(input, federation.notes);
  federation.client_names = std::move(clients.names);
  federation.class_names = encoding.classes.names;
  federation.setup_bits = federation.level_bits = data::exchange_bits(encoding, clients.rows);
  const data::Holdout holdout =
      data::hold_out(clients.rows, encoding.classes.of_row, spec.test_fraction, seed, first_client);
  federation.intercept = intercept;
  data::fill_tables({table, encoding, intercept, memory}, holdout, federation);

  federation.layout = data::facts_of(table, roles, encoding);
  const std::string source = data::listed(table.files, 3);
  const Index in_given = data::add_given_rows(input, target, memory, federation);
  if (const Index missing = data::missing_cells(table, roles) + in_given; missing > 0) {
    data::impute_means(source, federation);
    federation.notes.push_back(fmt::format("{}: {} missing cells took their column's mean", source, missing));
  }
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
  // A client does not read the files that belong to the whole federation.
  spec.test_source.clear();
  spec.test_labels.clear();
  spec.ood_source.clear();
  spec.distill_source.clear();
  return spec;
}

// Warns of text columns in which most rows have a level of their own.
void name_identifiers(Federation& federation) {
  constexpr std::size_t kMany = 20;
  const auto rows = static_cast<std::size_t>(federation.train.rows + federation.test.rows);
  for (const auto& [name, levels] : federation.layout.levels)
    if (name != federation.layout.target && levels.size() >= kMany && 2 * levels.size() > rows)
      federation.notes.push_back(
          fmt::format("column {} has {} levels in {} rows, as an identifier has: its coefficients say nothing of other "
                      "rows; leave it out (data.features)",
                      name, levels.size(), rows));
}

}  // namespace

Federation load_federation(const DataSpec& asked, TargetKind target, std::uint64_t seed, const std::string& where) {
  if (is_store(asked)) {
    Federation stored = data::map_store(asked.sources.front(), target);
    data::add_moments(asked, stored);
    return stored;
  }
  Federation federation = load(with_model_defaults(asked, target), target, seed, where, 0, data::heap_memory);
  name_identifiers(federation);
  return federation;
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

ColumnFacts column_facts(const std::string& file, const DataSpec& asked, TargetKind target) {
  const DataSpec spec = with_model_defaults(of_file(file, asked), target);
  data::check_spec(spec, target, file);
  data::RawTable table = data::read_sources(spec, 0, file);
  const data::Roles roles = data::assign_roles(table, spec, target, file);
  std::vector<std::string> notes;
  data::complete_cells(table, roles, spec, notes);
  data::check_target(table, roles, target);
  return data::facts_of(table, roles, data::encode_columns(table, roles, spec, target));
}

Federation load_part(const std::string& file, const DataSpec& asked, const ColumnFacts& layout, TargetKind target,
                     std::uint32_t client, std::uint64_t seed) {
  DataSpec spec = with_model_defaults(of_file(file, asked), target);
  if (layout.width == 0) spec.features = layout.columns;
  spec.target = layout.target;
  spec.levels = layout.levels;
  spec.standardize = false;
  spec.constant = "keep";
  Federation part = load(spec, target, seed, file, client, data::heap_memory);
  part.setup_bits = part.level_bits = 0;
  return part;
}

}  // namespace pollen
