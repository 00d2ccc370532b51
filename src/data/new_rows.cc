// Encodes rows that arrive after training like the training rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data/row_layout.h"
#include "encode.h"
#include "phrases.h"
#include "pollen/errors.h"
#include "sources.h"
#include "tables.h"

namespace pollen {

namespace data {

namespace {

class LaterReader {
 public:
  LaterReader(const std::string& file, const RowLayout& layout, const LaterRows& options)
      : file_(file), layout_(layout), options_(options) {}

  Table read() {
    read_cells();
    if (!table_.blocks.empty()) check_width();
    const std::vector<LayoutColumn> columns = table_.blocks.empty() ? named_columns() : std::vector<LayoutColumn>();
    const Roles roles = find(columns);
    check_cells(columns, roles);
    check_target(table_, roles, options_.with_target ? layout_.kind : TargetKind::none);
    const Encoding encoding = encode(table_, roles, spec_, options_.with_target ? layout_.kind : TargetKind::none);
    Table out;
    HeapMemory memory;
    fill_table({table_, encoding, layout_.intercept, memory}, out);
    scale(out);
    return out;
  }

 private:
  bool labelled() const { return options_.with_target && layout_.classifies(); }

  void read_cells() {
    std::error_code ignored;
    if (!std::filesystem::exists(file_, ignored))
      throw ConfigError(file_, "found no such file, accepted: a file of rows as the run was trained with");
    spec_.sources = {file_};
    spec_.partition = "given";
    spec_.header = layout_.header;
    spec_.labels = options_.labels;
    spec_.positive = layout_.positive;
    for (const LayoutColumn& column : layout_.columns)
      if (!column.levels.empty()) spec_.levels[column.name] = column.levels;
    if (labelled() && !layout_.labels.empty()) spec_.levels[layout_.target] = layout_.labels;
    spec_.format = layout_.columns.empty() ? layout_.format : "csv";
    if (layout_.columns.empty() && (file_.ends_with(".csv") || file_.ends_with(".csv.gz"))) spec_.format = "csv";
    table_ = read_one(spec_, file_, "", options_.with_target);
  }

  // Checks the number of features. Sparse rows need not reach the last one.
  void check_width() {
    const bool sparse = std::holds_alternative<SparseRows>(table_.blocks.front().store);
    if (table_.width > layout_.width || (!sparse && table_.width < layout_.width) || !layout_.columns.empty())
      throw ConfigError(file_, fmt::format("found {} numbers per row, accepted: {}, as the run was trained with",
                                           table_.width, layout_.encoded()));
    table_.width = layout_.width;
  }

  // Returns the columns to look for. Features without names (images, sparse rows) may also come as a csv file whose
  // columns are called x1, x2, ..., as in the run.
  std::vector<LayoutColumn> named_columns() const {
    if (!layout_.columns.empty()) return layout_.columns;
    std::vector<LayoutColumn> columns;
    for (Index j = 0; j < layout_.width; ++j) columns.push_back({fmt::format("{}{}", layout_.prefix, j + 1)});
    return columns;
  }

  Roles find(const std::vector<LayoutColumn>& columns) const {
    std::vector<std::string> needed;
    for (const LayoutColumn& column : columns) needed.push_back(column.name);
    if (options_.with_target && table_.blocks.empty()) needed.push_back(layout_.target);
    refuse_others(needed);
    Roles roles;
    for (const LayoutColumn& column : columns) roles.features.push_back(place(column.name));
    if (!options_.with_target) return roles;
    // Label files of images may use another name for the column: `label`, or QMNIST's label1.
    roles.target = std::max<Index>(0, table_.find(layout_.target));
    if (table_.columns.empty())
      throw ConfigError(file_, fmt::format("found no {}, accepted: rows with it", data::in_quotes(layout_.target)));
    return roles;
  }

  std::size_t place(const std::string& name) const { return static_cast<std::size_t>(table_.find(name)); }

  // Reports which columns are missing and which columns of the file the run does not know, because one may be a
  // misspelling of the other.
  void refuse_others(const std::vector<std::string>& needed) const {
    std::vector<std::string> unknown;
    for (const std::string& name : table_.column_names())
      if (std::ranges::count(needed, name) == 0 && name != layout_.target) unknown.push_back(name);
    Problems problems;
    for (const std::string& name : needed) {
      if (table_.find(name) >= 0) continue;
      const auto near = nearest(name, unknown);
      problems.add(file_, fmt::format("found no column {}, which the run was trained with{}", data::in_quotes(name),
                                      near ? fmt::format("; the file's {} is near it", data::in_quotes(*near)) : ""));
    }
    if (problems.empty()) return;
    if (!problems.full())
      problems.add(file_,
                   fmt::format("accepted: the columns {}{}", listed(needed),
                               unknown.empty() ? "" : fmt::format("; not known to the run: {}", listed(unknown))));
    problems.raise();
  }

  // Reports the first unusable cell of every column. The levels of text columns are checked when they are encoded.
  void check_cells(const std::vector<LayoutColumn>& columns, const Roles& roles) const {
    Problems problems;
    for (std::size_t k = 0; k < columns.size(); ++k)
      check_column(table_.columns[roles.features[k]], columns[k].levels.empty(), !layout_.fill.empty(), problems);
    if (roles.target >= 0)
      check_column(table_.columns[static_cast<std::size_t>(roles.target)], !layout_.classifies(), false, problems);
    problems.raise();
  }

  void check_column(const Column& column, bool numbers, bool may_be_missing, Problems& problems) const {
    for (std::size_t r = 0; r < column.code.size(); ++r) {
      const std::int32_t code = column.code[r];
      if (code == Column::kMissing && !(numbers && may_be_missing))
        return problems.add(table_.where(r, column.name),
                            fmt::format("found no value, accepted: {}", numbers ? "a number" : "a level"));
      if (code >= 0 && numbers)
        return problems.add(
            table_.where(r, column.name),
            fmt::format("found {}, accepted: a number, as the run was trained with", in_quotes(column.text(r))));
    }
  }

  void scale(Table& table) const {
    const Index first = layout_.intercept ? 1 : 0;
    for (Index r = 0; r < table.rows; ++r) {
      double* x = table.x.data() + r * table.stride + first;
      for (std::size_t j = 0; j < static_cast<std::size_t>(table.columns - first); ++j) {
        if (std::isnan(x[j]))
          x[j] = layout_.fill[j];
        else if (!layout_.mean.empty())
          x[j] = (x[j] - layout_.mean[j]) / layout_.sd[j];
      }
    }
  }

  const std::string& file_;
  const RowLayout& layout_;
  const LaterRows& options_;
  DataSpec spec_;
  RawTable table_;
};

}  // namespace

}  // namespace data

Table load_rows(const std::string& file, const RowLayout& layout, const LaterRows& options) {
  return data::LaterReader(file, layout, options).read();
}

Table load_rows(const std::string& file, const DataSpec& spec, const Federation& trained, TargetKind target) {
  return load_rows(file, layout_of(trained, spec, target), {target != TargetKind::none});
}

}  // namespace pollen
