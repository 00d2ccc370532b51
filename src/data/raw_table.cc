#include "raw_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cell.h"
#include "data/phrases.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

void write_row(const ByteRows& rows, std::size_t row, Index width, double* out) {
  const char* from = rows.bytes.data() + rows.first + row * rows.pitch;
  for (Index j = 0; j < width; ++j) out[j] = static_cast<double>(static_cast<unsigned char>(from[j])) / rows.divisor;
}

void write_row(const DenseRows& rows, std::size_t row, Index width, double* out) {
  std::copy_n(rows.values.data() + row * static_cast<std::size_t>(width), width, out);
}

void write_row(const MadeRows& rows, std::size_t row, Index width, double* out) {
  std::copy_n(rows.maker->rows(rows.client).data() + row * static_cast<std::size_t>(width), width, out);
}

void write_row(const SparseRows& rows, std::size_t row, Index, double* out) {
  for (std::size_t k = rows.begin[row]; k < rows.begin[row + 1]; ++k) out[rows.position[k]] = rows.value[k];
}

// Returns why `from` cannot be appended to `into`, or an empty text if it can.
std::string difference(const RawTable& into, const RawTable& from) {
  if (into.columns.size() != from.columns.size())
    return fmt::format("found {} columns, accepted: the {} of {}", from.columns.size(), into.columns.size(),
                       into.files.front());
  for (const Column& column : from.columns)
    if (into.find(column.name) < 0)
      return fmt::format("found a column \"{}\", accepted: the columns of {}: {}", column.name, into.files.front(),
                         listed(into.column_names()));
  const bool sparse = !into.blocks.empty() && std::holds_alternative<SparseRows>(into.blocks.front().store);
  if (!sparse && into.width != from.width)
    return fmt::format("found {} features per row, accepted: the {} of {}", from.width, into.width, into.files.front());
  return {};
}

}  // namespace

void Block::write(std::size_t row, double* out) const {
  std::visit([&](const auto& rows) { write_row(rows, row, width, out); }, store);
}

void Column::add_number(double value) {
  if (as_text) return add_text(number_text(value));
  number.push_back(value);
  code.push_back(kNumber);
}

void Column::add_missing() {
  number.push_back(std::numeric_limits<double>::quiet_NaN());
  code.push_back(kMissing);
}

void Column::add_text(std::string_view text) {
  const auto [at, fresh] = known_.try_emplace(std::string(text), static_cast<std::int32_t>(texts.size()));
  if (fresh) texts.emplace_back(text);
  number.push_back(std::numeric_limits<double>::quiet_NaN());
  code.push_back(at->second);
}

void Column::add_cell(std::string_view cell) {
  const Cell parsed = read_cell(cell);
  if (parsed.kind == CellKind::missing) return add_missing();
  if (parsed.kind == CellKind::number && !as_text) return add_number(parsed.number);
  add_text(as_text ? level_text(cell) : std::string(cell));
}

void Column::append(const Column& other) {
  if (missing_word.empty()) missing_word = other.missing_word;
  for (std::size_t r = 0; r < other.code.size(); ++r) {
    if (other.code[r] == kMissing)
      add_missing();
    else if (other.code[r] == kNumber)
      add_number(other.number[r]);
    else
      add_text(other.text(r));
  }
}

void Column::take_numbers(const std::vector<double>& of_texts) {
  for (std::size_t r = 0; r < code.size(); ++r) {
    if (code[r] < 0) continue;
    number[r] = of_texts[static_cast<std::size_t>(code[r])];
    code[r] = std::isnan(number[r]) ? kMissing : kNumber;
  }
  texts.clear();
  known_.clear();
}

std::vector<std::string> RawTable::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

Index RawTable::find(const std::string& name) const {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == name) return static_cast<Index>(c);
  return -1;
}

std::string RawTable::where(std::size_t row, const std::string& column) const {
  return fmt::format("{}: row {}, column {}", files[rows[row].source], rows[row].line, column);
}

void check_dense(Index rows, Index columns, Index most, const std::string& where) {
  if (rows == 0 || columns <= most / rows) return;
  throw ConfigError(where, fmt::format("found {} rows of {} features, accepted: at most {} numbers in all "
                                       "(data.limit takes the first rows only)",
                                       rows, columns, most));
}

void append(RawTable& into, RawTable&& from) {
  if (into.files.empty()) {
    into = std::move(from);
    return;
  }
  if (const std::string why = difference(into, from); !why.empty()) throw ConfigError(from.files.front(), why);
  for (Column& column : into.columns) column.append(from.columns[static_cast<std::size_t>(from.find(column.name))]);
  const auto source = static_cast<std::uint32_t>(into.files.size());
  for (const RowId& row : from.rows) into.rows.push_back({source, row.local, row.line});
  for (Block& block : from.blocks) into.blocks.push_back(std::move(block));
  into.width = std::max(into.width, from.width);
  into.notes.insert(into.notes.end(), from.notes.begin(), from.notes.end());
  into.excluded.insert(into.excluded.end(), from.excluded.begin(), from.excluded.end());
  into.files.push_back(from.files.front());
}

}  // namespace pollen::data
