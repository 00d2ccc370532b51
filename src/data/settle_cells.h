// What cells of text in a csv file mean where they stand among numbers: numbers with a decimal comma, and words for a
// missing value. Also refuses text that is not UTF-8.
#pragma once

#include "raw_table.h"

namespace pollen::data {

// Takes the columns of one csv file, whose cells are separated by `separator`, and adds to the table's notes what was
// done. Columns that are read as text stay as they are. Throws ConfigError.
void settle_cells(char separator, RawTable& table);

bool is_utf8(std::string_view text);

}  // namespace pollen::data
