// Texts by which the rows of a file are told apart (RowText). Thread-safe.
#pragma once

#include <string>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

// Passes the text of every row of the table to rows.take, and returns what of a row it is. `spec` is that by which the
// table was read from its one file. The cells of a csv file are read again as they stand there, so that they do not
// depend on a study: neither on the columns that it excludes nor on those that it takes for text. Throws ConfigError if
// there is no such column.
std::string tell_rows(const RawTable& table, const DataSpec& spec, const RowText& rows);

}  // namespace pollen::data
