// Reads the rows of data.test_source, data.ood_source and data.distill_source, which have files of their own. They are
// encoded like the training rows, with the same columns, levels and labels. Anything that the training rows do not know
// is a ConfigError that names the file.
#pragma once

#include <string>

#include "encode.h"
#include "pollen/data.h"
#include "raw_table.h"
#include "roles.h"
#include "tables.h"

namespace pollen::data {

struct Trained {
  const RawTable& table;
  const Roles& roles;
  const Encoding& encoding;
  const DataSpec& spec;
  const std::string& where;
};

// Fills `test`, `ood` and `distill` of the federation, whose intercept must be decided. The rows are not yet imputed or
// standardised, and no test row belongs to a client. Returns the number of missing cells and adds to the federation's
// notes.
Index add_given_rows(const Trained& trained, TargetKind target, TableMemory& memory, Federation& federation);

// Counts missing numbers in the columns that are features.
Index missing_cells(const RawTable& table, const Roles& roles);

}  // namespace pollen::data
