// Checks what holds for every RawTable that a reader returns, and whether two tables are the same.
#pragma once

#include <cmath>
#include <set>

#include "data/raw_table.h"
#include "fuzz.h"

namespace pollen::fuzz {

inline void check_column(const data::Column& column, std::size_t rows) {
  HOLDS(column.code.size() == rows && column.number.size() == rows);
  HOLDS(!column.name.empty());
  HOLDS(std::set<std::string>(column.texts.begin(), column.texts.end()).size() == column.texts.size());
  for (std::size_t r = 0; r < rows; ++r) {
    HOLDS(column.code[r] >= data::Column::kMissing && column.code[r] < std::ssize(column.texts));
    HOLDS((column.code[r] == data::Column::kNumber) == std::isfinite(column.number[r]));
    HOLDS(!column.as_text || column.code[r] != data::Column::kNumber);
  }
}

// Checks that the table is rectangular, that rows are in the order of the file, and that features are finite.
inline void check_table(const data::RawTable& table, Index limit) {
  HOLDS(!table.rows.empty() && (limit == 0 || std::ssize(table.rows) <= limit));
  std::set<std::string> names;
  for (const data::Column& column : table.columns) {
    check_column(column, table.rows.size());
    HOLDS(names.insert(column.name).second);
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    HOLDS(table.rows[r].local == r && table.rows[r].line > (r == 0 ? 0 : table.rows[r - 1].line));
  for (const data::Block& block : table.blocks) {
    HOLDS(block.width <= table.width);
    if (block.width > 10'000) continue;  // writing a row would take longer than parsing
    std::vector<double> row(static_cast<std::size_t>(block.width));
    for (const std::size_t r : {std::size_t{0}, table.rows.size() - 1}) {
      block.write(r, row.data());
      for (const double x : row) HOLDS(std::isfinite(x));
    }
  }
}

inline void check_same(const data::RawTable& a, const data::RawTable& b) {
  HOLDS(a.rows.size() == b.rows.size() && a.columns.size() == b.columns.size() && a.width == b.width);
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const data::Column &one = a.columns[c], &other = b.columns[c];
    HOLDS(one.name == other.name && one.code == other.code && one.texts == other.texts);
    for (std::size_t r = 0; r < one.number.size(); ++r) HOLDS(same(one.number[r], other.number[r]));
  }
}

}  // namespace pollen::fuzz
