#include "like_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/phrases.h"
#include "pollen/errors.h"
#include "sources.h"

namespace pollen::data {

LikeRows::LikeRows(const Example& example, DataSpec spec, const std::string& where)
    : example_(example), spec_(std::move(spec)) {
  const RowLayout& layout = example.layout;
  const bool with_target = example.target != TargetKind::none;
  spec_.partition = "given";
  spec_.positive = layout.positive;
  spec_.target = with_target ? layout.target : "";
  spec_.features.clear();
  spec_.categorical.clear();
  spec_.levels.clear();
  for (const LayoutColumn& column : layout.columns)
    if (!column.levels.empty() && !column.constant) spec_.levels[column.name] = column.levels;
  if (with_target && !layout.labels.empty()) spec_.levels[layout.target] = layout.labels;
  table_ = read_one(spec_, file(), where, with_target);
  spec_.exclude.clear();  // names of columns that need not be in this file
  table_.blocks.empty() ? find_columns() : check_width();
  roles_ = assign_roles(table_, spec_, example.target, file());
  if (spec_.features.empty()) roles_.features.clear();  // there, no names would mean all columns
}

// Checks the number of features of a format without columns. Sparse rows need not reach the last one.
void LikeRows::check_width() {
  const RowLayout& layout = example_.layout;
  const bool sparse = std::holds_alternative<SparseRows>(table_.blocks.front().store);
  if (!layout.columns.empty())
    throw ConfigError(file(), "found rows without named columns, accepted: columns, as " + example_.whose);
  if (table_.width > layout.width || (!sparse && table_.width < layout.width))
    throw ConfigError(file(), fmt::format("found {} numbers per row, accepted: {}, as {}", table_.width, layout.width,
                                          example_.whose));
  table_.width = layout.width;
  if (spec_.target.empty() || table_.find(spec_.target) >= 0) return;
  if (table_.columns.empty())
    throw ConfigError(file(), fmt::format("found no {}, accepted: rows with it", in_quotes(spec_.target)));
  // Label files of images may use another name for the target: `label`, or QMNIST's label1.
  table_.columns.front().name = spec_.target;
}

// Looks for the columns by their names. Features without names (images, sparse rows) may also come as a csv file whose
// columns are called x1, x2, ..., as in the earlier rows. Reports which columns are missing and which others the file
// has, because one may be a misspelling of the other.
void LikeRows::find_columns() {
  for (const LayoutColumn& column : example_.layout.columns)
    if (!column.constant) spec_.features.push_back(column.name);
  for (Index j = 0; j < example_.layout.width; ++j)
    spec_.features.push_back(fmt::format("{}{}", example_.layout.prefix, j + 1));
  std::vector<std::string> needed = spec_.features, others;
  if (example_.target != TargetKind::none) needed.push_back(spec_.target);
  for (const std::string& name : table_.column_names())
    if (std::ranges::count(needed, name) == 0 && name != example_.layout.target) others.push_back(name);
  const std::string accepted =
      fmt::format("accepted: the columns {}{}", listed(needed),
                  others.empty() ? "" : fmt::format("; the file's others are {}", listed(others)));
  const bool single = std::ranges::count_if(needed, [&](const auto& name) { return table_.find(name) < 0; }) == 1;
  Problems problems;
  for (const std::string& name : needed) {
    if (table_.find(name) >= 0) continue;
    const auto near = nearest(name, others);
    problems.add(file(), fmt::format("found no column {}, which {}{}{}", in_quotes(name), example_.whose,
                                     near ? fmt::format("; the file's {} is near it", in_quotes(*near)) : "",
                                     single ? "; " + accepted : ""));
  }
  if (!problems.empty() && !single && !problems.full()) problems.add(file(), accepted);
  problems.raise();
}

Encoding LikeRows::encode() const {
  const RowLayout& layout = example_.layout;
  Problems problems;
  for (const std::size_t c : roles_.features) {
    const Column& column = table_.columns[c];
    check_cells(column, !spec_.levels.contains(column.name), spec_.missing == "mean", problems);
  }
  if (roles_.target >= 0)
    check_cells(table_.columns[static_cast<std::size_t>(roles_.target)], !layout.classifies(), false, problems);
  problems.raise();
  check_target(table_, roles_, example_.target);
  return data::encode(table_, roles_, spec_, example_.target);
}

// Reports the first unusable cell of a column. The levels of text are checked when they are encoded.
void LikeRows::check_cells(const Column& column, bool numbers, bool may_be_missing, Problems& problems) const {
  for (std::size_t r = 0; r < column.code.size(); ++r) {
    const std::int32_t code = column.code[r];
    if (code == Column::kMissing && !(numbers && may_be_missing))
      return problems.add(table_.where(r, column.name),
                          fmt::format("found no value, accepted: {}", numbers ? "a number" : "a level"));
    if (code >= 0 && numbers)
      return problems.add(table_.where(r, column.name), fmt::format("found {}, accepted: a number, as {}",
                                                                    in_quotes(column.text(r)), example_.whose));
  }
}

}  // namespace pollen::data
