// The table of a file's columns that `pollen data` and `pollen join --dry-run` print. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"

namespace pollen::data {

using Line = std::vector<std::string>;

// Returns lines of cells as aligned text. Cells are aligned to the right, but those of the first column and of the
// columns in `left` to the left.
std::string aligned(const std::vector<Line>& lines, const std::vector<std::size_t>& left);

// Returns the table: what each column holds, its levels with the reference first, and how many cells are missing. It is
// empty if nothing is known of the columns. A layout without columns is that of a file that cannot be used.
std::string column_table(const std::vector<ColumnSummary>& columns, const ColumnFacts& layout);

// Says which of two classes is the event, and how to choose the other. It is empty unless there are two classes.
std::string event_line(const ColumnFacts& layout, const std::vector<std::string>& classes);

}  // namespace pollen::data
