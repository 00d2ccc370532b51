#include <fmt/format.h>

#include "encode.h"
#include "phrases.h"
#include "pollen/errors.h"
#include "sources.h"
#include "tables.h"

namespace pollen::data {

namespace {

// Returns the spec for reading the file: the file's own name with the columns, levels and labels of the training rows.
DataSpec spec_for(const PartitionInput& trained, const std::string& path, TargetKind target) {
  DataSpec spec = trained.spec;
  spec.sources = {path};
  spec.labels = spec.test_labels;
  spec.partition = "given";
  spec.categorical.clear();
  const ColumnFacts facts = facts_of(trained.table, trained.roles, trained.encoding);
  spec.features = facts.columns;
  spec.levels = facts.levels;
  if (target == TargetKind::none)
    spec.levels.erase(facts.target);
  else
    spec.target = facts.target;
  return spec;
}

void check_block(const RawTable& trained, RawTable& table) {
  const std::string& file = table.files.front();
  if (table.blocks.empty() != trained.blocks.empty())
    throw ConfigError(file, fmt::format("found {}, accepted: rows as those of {}",
                                        table.blocks.empty() ? "named columns" : "rows without named columns",
                                        trained.files.front()));
  if (table.blocks.empty()) return;
  const bool sparse = std::holds_alternative<SparseRows>(table.blocks.front().store);
  if (table.width > trained.width || (!sparse && table.width < trained.width))
    throw ConfigError(file, fmt::format("found {} features per row, accepted: the {} of {}", table.width, trained.width,
                                        trained.files.front()));
  // Sparse rows need not reach the last column.
  table.width = trained.width;
}

// Checks that every column of the training rows is present. Other columns are ignored.
void check_columns(const PartitionInput& trained, const DataSpec& spec, bool with_target, const RawTable& table) {
  std::vector<std::string> needed = spec.features;
  if (with_target) needed.push_back(spec.target);
  Problems problems;
  for (const std::string& name : needed)
    if (table.find(name) < 0)
      problems.add(table.files.front(), fmt::format("found no column {}, which {} has, accepted: its columns, {}",
                                                    in_quotes(name), trained.table.files.front(), listed(needed)));
  problems.raise();
}

// Refuses columns that held numbers in training and hold text here. Text columns are checked against their levels.
void check_numbers(const PartitionInput& trained, const Roles& roles, const RawTable& table) {
  Problems problems;
  for (std::size_t k = 0; k < roles.features.size(); ++k) {
    const Column& column = table.columns[roles.features[k]];
    if (trained.encoding.features[k].text || !is_text(column)) continue;
    problems.add(table.where(0, column.name), fmt::format("found {}, accepted: a number, as in {}",
                                                          in_quotes(column.text(0)), trained.table.files.front()));
  }
  problems.raise();
}

// Renames the target of image files, whose label files may use another name: `label`, or QMNIST's label1.
void rename_target(DataSpec& spec, RawTable& table) {
  if (table.blocks.empty() || table.columns.empty() || table.find(spec.target) >= 0) return;
  table.columns.front().name = spec.target;
}

struct GivenRows {
  RawTable table;
  Encoding encoding;
  Index missing = 0;
};

GivenRows read_given(const PartitionInput& trained, const std::string& path, TargetKind target,
                     std::vector<std::string>& notes) {
  DataSpec spec = spec_for(trained, path, target);
  const bool with_target = target != TargetKind::none;
  GivenRows rows;
  rows.table = read_one(spec, path, trained.where, with_target);
  check_block(trained.table, rows.table);
  if (with_target) rename_target(spec, rows.table);
  check_columns(trained, spec, with_target, rows.table);
  const Roles roles = assign_roles(rows.table, spec, target, path);
  settle_cells(rows.table, roles, spec, notes);
  check_target(rows.table, roles, target);
  check_numbers(trained, roles, rows.table);
  rows.encoding = encode(rows.table, roles, spec, target);
  rows.missing = missing_cells(rows.table, roles);
  return rows;
}

}  // namespace

Index missing_cells(const RawTable& table, const Roles& roles) {
  Index count = 0;
  for (const std::size_t c : roles.features)
    for (std::size_t r = 0; r < table.rows.size(); ++r) count += table.columns[c].missing(r) ? 1 : 0;
  return count;
}

Index add_given_rows(const PartitionInput& trained, TargetKind target, TableMemory& memory, Federation& federation) {
  Index missing = 0, rows = federation.train.rows + federation.test.rows;
  const auto add = [&](const std::string& path, TargetKind kind, Table& table) {
    const GivenRows given = read_given(trained, path, kind, federation.notes);
    rows += std::ssize(given.table.rows);
    check_dense(rows, federation.train.stride, trained.spec.most_cells,
                fmt::format("{} and {}", trained.table.files.front(), path));
    fill_table({given.table, given.encoding, federation.intercept, memory}, table);
    missing += given.missing;
  };
  if (!trained.spec.test_source.empty()) add(trained.spec.test_source, target, federation.test);
  if (!trained.spec.ood_source.empty()) add(trained.spec.ood_source, TargetKind::none, federation.ood);
  if (!trained.spec.distill_source.empty()) add(trained.spec.distill_source, TargetKind::none, federation.distill);
  return missing;
}

}  // namespace pollen::data
