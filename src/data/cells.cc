#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cell.h"
#include "data/phrases.h"
#include "encode.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

std::string such(std::size_t count) { return count > 1 ? fmt::format(" ({} such cells)", count) : std::string(); }

std::string such_as(const std::string& word) {
  return word.empty() ? word : fmt::format(" (a cell such as {} is missing)", in_quotes(word));
}

// Reports the first missing cell of a column.
void refuse_missing(const RawTable& table, const Column& column, const std::string& accepted, Problems& problems) {
  const auto first = std::find(column.code.begin(), column.code.end(), Column::kMissing);
  if (first == column.code.end()) return;
  const auto count = static_cast<std::size_t>(std::count(first, column.code.end(), Column::kMissing));
  problems.add(table.where(static_cast<std::size_t>(first - column.code.begin()), column.name),
               fmt::format("found no value{}{}, accepted: {}", such(count), such_as(column.missing_word), accepted));
}

// Reports a column that mixes numbers and text by the first cell of the rarer kind.
void refuse_mixture(const RawTable& table, const Column& column, Problems& problems) {
  std::size_t numbers = 0, texts = 0, first_number = 0, first_text = 0;
  for (std::size_t r = 0; r < column.code.size(); ++r) {
    if (column.code[r] == Column::kNumber && numbers++ == 0) first_number = r;
    if (column.code[r] >= 0 && texts++ == 0) first_text = r;
  }
  if (numbers == 0 || texts == 0) return;
  if (numbers < texts) {
    problems.add(
        table.where(first_number, column.name),
        fmt::format("found the number {} in a column of text{}, accepted: text, or the column in data.categorical",
                    number_text(column.number[first_number]), such(numbers)));
    return;
  }
  const std::string& text = column.text(first_text);
  const bool not_finite = read_cell(text).kind == CellKind::not_finite;
  problems.add(table.where(first_text, column.name),
               not_finite ? fmt::format("found {}{}, accepted: a finite number", in_quotes(text), such(texts))
                          : fmt::format("found {}{}, accepted: a number, or the column in data.categorical if "
                                        "it is text, or in data.exclude",
                                        in_quotes(text), such(texts)));
}

void keep_rows(RawTable& table, const std::vector<std::size_t>& kept) {
  for (std::size_t k = 0; k < kept.size(); ++k) table.rows[k] = table.rows[kept[k]];
  table.rows.resize(kept.size());
  for (Column& column : table.columns) {
    for (std::size_t k = 0; k < kept.size(); ++k) {
      column.number[k] = column.number[kept[k]];
      column.code[k] = column.code[kept[k]];
    }
    column.number.resize(kept.size());
    column.code.resize(kept.size());
  }
}

void drop_missing(RawTable& table, const std::vector<std::size_t>& used, std::vector<std::string>& notes) {
  std::vector<std::size_t> kept;
  std::vector<std::size_t> before(table.files.size());
  std::vector<std::size_t> dropped(table.files.size());
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const bool missing =
        std::any_of(used.begin(), used.end(), [&](std::size_t c) { return table.columns[c].missing(r); });
    ++before[table.rows[r].source];
    if (missing)
      ++dropped[table.rows[r].source];
    else
      kept.push_back(r);
  }
  Problems problems;
  for (std::size_t f = 0; f < table.files.size(); ++f) {
    if (dropped[f] == 0) continue;
    if (dropped[f] == before[f])
      problems.add(table.files[f], fmt::format("found missing cells in all {} rows, accepted: at least one whole row "
                                               "(data.features leaves columns out)",
                                               before[f]));
    notes.push_back(fmt::format("{}: {} of {} rows dropped for missing cells", table.files[f], dropped[f], before[f]));
  }
  problems.raise();
  keep_rows(table, kept);
}

}  // namespace

bool is_text(const Column& column) {
  if (column.as_text) return true;
  bool text = false;
  for (const std::int32_t code : column.code) {
    if (code == Column::kNumber) return false;
    text = text || code >= 0;
  }
  return text;
}

void complete_cells(RawTable& table, const Roles& roles, const DataSpec& spec, std::vector<std::string>& notes) {
  const std::vector<std::size_t> used = roles.used();
  const auto is_used = [&](const std::string& name) { return std::ranges::count(used, table.find(name)) > 0; };
  for (const ColumnNote& note : table.notes)
    if (is_used(note.column)) notes.push_back(note.text);
  Problems problems;
  for (const std::size_t c : used) {
    const Column& column = table.columns[c];
    refuse_mixture(table, column, problems);
    const bool feature = std::count(roles.features.begin(), roles.features.end(), c) > 0;
    if (spec.missing == "error")
      refuse_missing(table, column, "a value, or data.missing = \"drop\" or \"mean\"", problems);
    else if (spec.missing == "mean" && !feature)
      refuse_missing(table, column, "a value in this column, or data.missing = \"drop\"", problems);
    else if (spec.missing == "mean" && is_text(column))
      refuse_missing(table, column, "a value (text has no mean), or data.missing = \"drop\"", problems);
  }
  problems.raise();
  if (spec.missing == "drop") drop_missing(table, used, notes);
}

void check_target(const RawTable& table, const Roles& roles, TargetKind target) {
  if (roles.target < 0) return;
  const Column& column = table.columns[static_cast<std::size_t>(roles.target)];
  const bool numeric = target == TargetKind::real || target == TargetKind::count;
  Problems problems;
  if (is_text(column)) {
    if (numeric)
      problems.add(table.where(0, column.name),
                   fmt::format("found {} in the target, accepted: a number", in_quotes(column.text(0))));
    problems.raise();
    return;
  }
  for (std::size_t r = 0; r < column.number.size() && !problems.full(); ++r) {
    const double value = column.number[r];
    const bool whole = std::floor(value) == value;
    if (target == TargetKind::count && (!whole || value < 0.0))
      problems.add(table.where(r, column.name),
                   fmt::format("found the count {}, accepted: 0, 1, 2, ...", number_text(value)));
    else if (!numeric && !whole)
      problems.add(table.where(r, column.name),
                   fmt::format("found the label {}, accepted: whole numbers or text", number_text(value)));
  }
  problems.raise();
}

}  // namespace pollen::data
