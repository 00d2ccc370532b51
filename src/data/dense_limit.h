// Checks the size of a table before memory is taken for it, because tables are dense.
#pragma once

#include <fmt/format.h>

#include <string>

#include "pollen/errors.h"
#include "pollen/types.h"

namespace pollen::data {

// Throws ConfigError if the table has more than `most` cells (DataSpec::most_cells).
inline void check_dense(Index rows, Index columns, Index most, const std::string& where) {
  if (rows == 0 || columns <= most / rows) return;
  throw ConfigError(where, fmt::format("found {} rows of {} features, accepted: at most {} numbers in all "
                                       "(data.limit takes the first rows only)",
                                       rows, columns, most));
}

}  // namespace pollen::data
