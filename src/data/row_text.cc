#include "row_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cell.h"
#include "data/phrases.h"
#include "pollen/errors.h"
#include "readers.h"

namespace pollen::data {

namespace {

constexpr char kBorder = '\x1f';  // stands between cells

// Adds a cell so that a file which another program has written anew has the same text: 1, 1.0 and 01 are one number.
// Numbers of more digits than a double keeps stay as they are.
void add_cell(std::string_view cell, std::string& text) {
  constexpr std::size_t kExactDigits = 15;
  const Cell parsed = read_cell(cell);
  text += parsed.kind == CellKind::number && cell.size() <= kExactDigits ? number_text(parsed.number)
                                                                         : std::string(trimmed(cell));
  text += kBorder;
}

// The columns that tell rows apart: the key, or all of them, by their names.
struct KeyColumns {
  std::vector<std::size_t> places;
  std::string words;
};

KeyColumns key_columns(const std::vector<std::string>& names, const RowText& rows, const std::string& file) {
  KeyColumns key{std::vector<std::size_t>(names.size()), "whole rows of "};
  std::iota(key.places.begin(), key.places.end(), std::size_t{0});
  if (!rows.column.empty()) {
    std::erase_if(key.places, [&](std::size_t c) { return names[c] != rows.column; });
    if (key.places.empty()) throw ConfigError(file + ": row_key", unknown_name(rows.column, names));
    key.words = fmt::format("the column {}", in_quotes(rows.column));
    return key;
  }
  std::ranges::sort(key.places, {}, [&](std::size_t c) { return names[c]; });
  for (const std::size_t c : key.places) key.words += (c == key.places.front() ? "" : ", ") + names[c];
  return key;
}

std::string tell_csv_rows(const RawTable& table, const DataSpec& spec, const RowText& rows) {
  const std::string& file = table.files.front();
  const FileText text(file, kMostBytes);
  KeyColumns key;
  std::string row;
  std::size_t next = 0;  // among the rows of the table, which stand in the file's order
  bool first = true;
  each_csv_row(text.text(), file, [&](std::size_t line, const std::vector<std::string_view>& cells) {
    if (first) {
      std::vector<std::string> names;
      for (const std::string_view cell : cells)
        names.push_back(spec.header ? std::string(cell) : fmt::format("c{}", names.size() + 1));
      key = key_columns(names, rows, file);
      first = false;
      if (spec.header) return;
    }
    if (next == table.rows.size() || table.rows[next].line != line) return;
    ++next;
    row.clear();
    for (const std::size_t c : key.places) add_cell(cells[c], row);
    rows.take(row);
  });
  return key.words;
}

// Tells the rows of a format without columns apart by their labels and the bytes of their numbers.
std::string tell_block_rows(const RawTable& table, const RowText& rows) {
  const KeyColumns key = key_columns(table.column_names(), rows, table.files.front());
  std::string text;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    text.clear();
    for (const std::size_t c : key.places) {
      const Column& column = table.columns[c];
      add_cell(column.code[r] == Column::kNumber ? number_text(column.number[r])
               : column.missing(r)               ? std::string()
                                                 : column.text(r),
               text);
    }
    if (rows.column.empty()) {
      const Block& block = table.blocks[table.rows[r].source];
      std::vector<double> numbers(static_cast<std::size_t>(block.width));
      block.write(table.rows[r].local, numbers.data());
      text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
    }
    rows.take(text);
  }
  return key.words;
}

}  // namespace

std::string tell_rows(const RawTable& table, const DataSpec& spec, const RowText& rows) {
  return table.blocks.empty() ? tell_csv_rows(table, spec, rows) : tell_block_rows(table, rows);
}

}  // namespace pollen::data
