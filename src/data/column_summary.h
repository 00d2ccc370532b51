// Describes the columns of a table: what kind of cells each has, how many of them differ, how many are missing. The
// rules about identifiers and the table of `pollen data` go by these descriptions. Pure functions.
#pragma once

#include <cstddef>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

// Some of a table's rows: those from `first` up to, not including, `last`.
struct RowRange {
  std::size_t first = 0, last = 0;
};

// Returns the rows of each file. A table has the rows of one file after those of another.
std::vector<RowRange> rows_of_files(const RawTable& table);

ColumnSummary summary_of(const Column& column, RowRange rows);
// Summarises some columns of a table, over all its rows.
std::vector<ColumnSummary> summaries_of(const RawTable& table, const std::vector<std::size_t>& columns);

// Whether a cell of text is a date, such as 2021-03-05, 05.03.2021 or 3/5/21, with or without a time; or a time of the
// day, such as 12:30.
bool is_date(std::string_view cell);
bool is_time(std::string_view cell);
// Whether a whole number is a date of the years 1900 to 2100, such as 20210305.
bool is_date(double number);
// Whether a text is an e-mail address or a UUID.
bool is_address(std::string_view cell);
// Whether a text is a number with a unit or a sign on one side of it, such as 76 kg, 12% or $5.
bool has_unit(std::string_view cell);

}  // namespace pollen::data
