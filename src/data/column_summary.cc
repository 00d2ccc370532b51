#include "column_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "encode.h"

namespace pollen::data {

namespace {

// Whether no two of a column's numbers are alike.
bool all_differ(const Column& column, RowRange rows) {
  std::vector<double> values;
  for (std::size_t r = rows.first; r < rows.last; ++r)
    if (column.code[r] == Column::kNumber) values.push_back(column.number[r]);
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

// Counts the different numbers of a column. Beyond kCounted of them it only says whether no two are alike, because then
// whole numbers may be a key.
void count_numbers(const Column& column, RowRange rows, ColumnSummary& out) {
  constexpr std::size_t kCounted = 1000;
  std::unordered_set<double> seen;
  bool whole = true;
  double last = -std::numeric_limits<double>::infinity();
  out.rising = true;
  for (std::size_t r = rows.first; r < rows.last; ++r) {
    if (column.code[r] != Column::kNumber) continue;
    const double value = column.number[r];
    whole = whole && std::floor(value) == value;
    out.rising = out.rising && value > last;
    last = value;
    if (std::fmod(value, 10.0) == 0) ++out.round;
    const bool first = seen.empty();
    out.lowest = first ? value : std::min(out.lowest, value);
    out.highest = first ? value : std::max(out.highest, value);
    if (seen.size() <= kCounted && !seen.insert(value).second) out.alike = true;
  }
  out.distinct = std::ssize(seen);
  out.type = whole ? ColumnType::whole_numbers : ColumnType::numbers;
  if (seen.size() <= kCounted || !whole || out.alike) return;
  out.alike = !all_differ(column, rows);
  if (!out.alike) out.distinct = out.rows - out.missing;
}

void count_texts(const Column& column, RowRange rows, ColumnSummary& out) {
  std::vector<bool> seen(column.texts.size());
  Index dates = 0, times = 0, addresses = 0, units = 0;
  for (std::size_t r = rows.first; r < rows.last; ++r) {
    if (column.code[r] < 0) continue;
    const auto at = static_cast<std::size_t>(column.code[r]);
    if (seen[at]) {
      out.alike = true;
      continue;
    }
    seen[at] = true;
    out.levels.push_back(column.texts[at]);
    if (is_date(std::string_view(column.texts[at]))) ++dates;
    if (is_time(column.texts[at]) && !column.texts[at].starts_with("1:")) ++times;  // 1:10 and 1:20 may be dilutions
    if (is_address(column.texts[at])) ++addresses;
    if (has_unit(column.texts[at])) ++units;
  }
  out.example = out.levels.empty() ? "" : out.levels.front();
  out.distinct = std::ssize(out.levels);
  out.addresses = 2 * addresses > out.distinct;
  out.units = 2 * units > out.distinct;
  if (2 * dates > out.distinct)
    out.type = ColumnType::dates;
  else if (2 * times > out.distinct)
    out.type = ColumnType::times;
  else
    out.type = ColumnType::text;
}

// Whether all numbers of a column are dates, such as 20210305.
bool all_dates(const Column& column, RowRange rows) {
  for (std::size_t r = rows.first; r < rows.last; ++r)
    if (column.code[r] == Column::kNumber && !is_date(column.number[r])) return false;
  return true;
}

}  // namespace

std::vector<RowRange> rows_of_files(const RawTable& table) {
  std::vector<RowRange> files;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (r == 0 || table.rows[r].source != table.rows[r - 1].source) files.push_back({r, r});
    files.back().last = r + 1;
  }
  return files;
}

ColumnSummary summary_of(const Column& column, RowRange rows) {
  ColumnSummary out;
  out.name = column.name;
  out.rows = static_cast<Index>(rows.last - rows.first);
  out.missing = std::count(column.code.begin() + static_cast<std::ptrdiff_t>(rows.first),
                           column.code.begin() + static_cast<std::ptrdiff_t>(rows.last), Column::kMissing);
  if (out.missing == out.rows) return out;
  if (is_text(column)) {
    count_texts(column, rows, out);
    return out;
  }
  count_numbers(column, rows, out);
  if (out.type != ColumnType::whole_numbers || out.distinct < 2 || !is_date(out.lowest) || !all_dates(column, rows))
    return out;
  out.type = ColumnType::dates;
  out.example = fmt::format("{:.0f}", out.lowest);
  return out;
}

std::vector<ColumnSummary> summaries_of(const RawTable& table, const std::vector<std::size_t>& columns) {
  std::vector<ColumnSummary> out;
  for (const std::size_t c : columns) out.push_back(summary_of(table.columns[c], {0, table.rows.size()}));
  return out;
}

}  // namespace pollen::data
