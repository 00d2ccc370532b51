// Pairs of columns of zeros and ones that too few rows have in common (data.min_cell). Thread-safe.
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::model {

// Sets to 0 every entry of the lower half of a Hessian, column by column, that belongs to two columns of two values
// each if one of the four groups of rows that they make has rows, but fewer than `least`. Coordinates run over the
// columns of x, once or once per class; further ones belong to no column.
void hide_small_pairs(const RowsView& x, Index least, std::span<double> half);

}  // namespace pollen::model
