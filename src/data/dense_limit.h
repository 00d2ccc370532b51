// Tables are dense: a guard before memory is taken.
#pragma once

#include <fmt/format.h>

#include <string>

#include "pollen/errors.h"
#include "pollen/types.h"

namespace pollen::data {

// `most` is DataSpec::most_cells.
inline void check_dense(Index rows, Index columns, Index most, const std::string& where) {
  if (rows == 0 || columns <= most / rows) return;
  throw ConfigError(where, fmt::format("found {} rows of {} features, accepted: at most {} numbers in all "
                                       "(data.limit takes the first rows only)",
                                       rows, columns, most));
}

}  // namespace pollen::data
