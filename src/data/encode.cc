#include "encode.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/phrases.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

void place_feature(const RawTable& table, const DataSpec& spec, Encoding& encoding, Feature& feature) {
  const Column& column = table.columns[feature.column];
  feature.offset = encoding.width;
  if (feature.text) {
    encoding.width += std::ssize(feature.levels.names) - 1;
    check_dense(std::ssize(table.rows), encoding.width, spec.most_cells,
                fmt::format("{}: column {}", table.files.front(), column.name));
    for (std::size_t l = 1; l < feature.levels.names.size(); ++l)
      encoding.names.push_back(fmt::format("{}={}", column.name, feature.levels.names[l]));
  } else {
    encoding.width += 1;
    encoding.names.push_back(column.name);
  }
}

// Applies data.positive: the labels it names become class 1, all others class 0.
void merge_classes(const std::vector<std::string>& positive, const std::string& where, Levels& classes) {
  for (const std::string& label : positive)
    if (std::count(classes.names.begin(), classes.names.end(), label) == 0)
      throw ConfigError(where, fmt::format("data.positive: {}", unknown_name(label, classes.names)));
  std::vector<std::string> names = merged_labels(classes.names, positive);
  if (names[0].empty())
    throw ConfigError(where, "data.positive: found every label, accepted: some of them, so that class 0 is not empty");
  std::vector<std::uint32_t> merged;
  for (const std::string& name : classes.names) merged.push_back(std::ranges::count(positive, name) > 0 ? 1 : 0);
  for (std::uint32_t& c : classes.of_row) c = merged[c];
  classes.names = std::move(names);
}

void encode_classes(const RawTable& table, const Column& column, const DataSpec& spec, TargetKind target,
                    Encoding& encoding) {
  const std::vector<std::string>& names = encoding.classes.names;
  const std::string where = fmt::format("{}: column {}", listed(table.files, 3), column.name);
  if (target == TargetKind::binary && !spec.positive.empty()) merge_classes(spec.positive, where, encoding.classes);
  if (target == TargetKind::binary && names.size() != 2)
    throw ConfigError(
        where, fmt::format("found {} labels ({}), accepted: exactly 2 for this model{}", names.size(),
                           listed(names, 10), names.size() > 2 ? ", or data.positive with those that count as 1" : ""));
  if (names.size() < 2)
    throw ConfigError(where, fmt::format("found one label ({}), accepted: at least 2", listed(names)));
  encoding.y.assign(encoding.classes.of_row.begin(), encoding.classes.of_row.end());
}

}  // namespace

std::vector<std::string> merged_labels(const std::vector<std::string>& labels,
                                       const std::vector<std::string>& positive) {
  std::vector<std::string> merged(2);
  for (const std::string& label : labels) {
    std::string& joined = merged[std::ranges::count(positive, label) > 0 ? 1 : 0];
    joined += joined.empty() ? label : "|" + label;
  }
  return merged;
}

void Encoding::write(const RawTable& table, std::size_t r, double* out) const {
  const RowId& row = table.rows[r];
  if (!table.blocks.empty()) table.blocks[row.source].write(row.local, out);
  for (const Feature& feature : features) {
    if (!feature.text)
      out[feature.offset] = table.columns[feature.column].number[r];
    else if (const std::uint32_t level = feature.levels.of_row[r]; level > 0)
      out[feature.offset + static_cast<Index>(level) - 1] = 1.0;
  }
}

void lay_out(const RawTable& table, const DataSpec& spec, Encoding& encoding) {
  encoding.names.clear();
  encoding.width = table.blocks.empty() ? 0 : table.width;
  check_dense(std::ssize(table.rows), encoding.width, spec.most_cells, table.files.front());
  for (Index j = 0; j < encoding.width; ++j) encoding.names.push_back(fmt::format("{}{}", table.prefix, j + 1));
  for (Feature& feature : encoding.features) place_feature(table, spec, encoding, feature);
  check_dense(std::ssize(table.rows), padded(encoding.width + 1), spec.most_cells, table.files.front());
}

Encoding encode_columns(const RawTable& table, const Roles& roles, const DataSpec& spec, TargetKind target) {
  Encoding encoding;
  for (const std::size_t c : roles.features) {
    const Column& column = table.columns[c];
    const bool text = is_text(column);
    encoding.features.push_back({c, 0, text, text ? levels_of(table, column, spec) : Levels()});
  }
  lay_out(table, spec, encoding);
  if (roles.target < 0 || !has_classes(target)) return encoding;
  encoding.classes = levels_of(table, table.columns[static_cast<std::size_t>(roles.target)], spec);
  encoding.labels = encoding.classes.names;
  return encoding;
}

Encoding encode(const RawTable& table, const Roles& roles, const DataSpec& spec, TargetKind target) {
  Encoding encoding = encode_columns(table, roles, spec, target);
  if (roles.target < 0) return encoding;
  const Column& column = table.columns[static_cast<std::size_t>(roles.target)];
  if (has_classes(target))
    encode_classes(table, column, spec, target, encoding);
  else
    encoding.y.assign(column.number.begin(), column.number.end());
  return encoding;
}

ColumnFacts facts_of(const RawTable& table, const Roles& roles, const Encoding& encoding) {
  ColumnFacts facts;
  facts.width = table.blocks.empty() ? 0 : table.width;
  for (const Feature& feature : encoding.features) {
    const std::string& name = table.columns[feature.column].name;
    facts.columns.push_back(name);
    if (feature.text) facts.levels[name] = feature.levels.names;
  }
  if (roles.target < 0) return facts;
  facts.target = table.columns[static_cast<std::size_t>(roles.target)].name;
  if (!encoding.labels.empty()) facts.levels[facts.target] = encoding.labels;
  return facts;
}

}  // namespace pollen::data
