// Tables are dense: a guard before memory is taken.
#pragma once

#include <fmt/format.h>

#include <string>

#include "pollen/errors.h"
#include "pollen/types.h"

namespace pollen::data {

constexpr Index kMostCells = Index{1} << 30;  // 8 GiB of doubles

inline void check_dense(Index rows, Index columns, const std::string& where) {
  if (rows == 0 || columns <= kMostCells / rows) return;
  throw ConfigError(where, fmt::format("found {} rows of {} features, accepted: at most {} numbers in all "
                                       "(data.limit takes the first rows only)",
                                       rows, columns, kMostCells));
}

}  // namespace pollen::data
