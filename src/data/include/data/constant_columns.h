// Columns that are the same in all training rows (data.constant). Beside an intercept the data cannot tell the
// coefficient of such a column from the intercept, and a column of zeros has a coefficient that nothing depends on. The
// same holds for a text column of whose reference level there is no row, because its other levels' columns sum to the
// intercept; one of these levels then becomes the reference.
//
// Pooled moments show all this: a column that differs between clients is kept, even if each client has one value. The
// functions are pure.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"

namespace pollen {

// The encoded columns of which clients have pooled the moments.
struct PooledColumns {
  const ColumnFacts& facts;
  std::vector<std::string> names;  // without the intercept
  DataSpec spec;                   // with its defaults
  std::string where;               // before a column's name in messages
};

// Returns what follows from the result of pooled(): the columns that are left out, and the scaling of the others if
// they are standardised. A column that is constant but not zero is kept without an intercept, because it is one. Throws
// ConfigError if data.constant = "error" and a column is constant, if no column is left for a model without intercept,
// and if columns cannot be standardised.
ColumnScaling settled(const ColumnScaling& pooled, const PooledColumns& columns);

// Returns notes that name the columns which are left out, with their values and the reason; none if there are none.
std::vector<std::string> constant_notes(const PooledColumns& columns, const ColumnScaling& settled);

}  // namespace pollen
