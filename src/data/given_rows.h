// Rows from a file of their own: data.test_source, data.ood_source and data.distill_source. They are encoded as the
// training rows were: the same columns, the same levels and labels. What the training rows do not know is a ConfigError
// that names the file.
#pragma once

#include <string>
#include <vector>

#include "encode.h"
#include "pollen/data.h"
#include "raw_table.h"
#include "roles.h"
#include "table_memory.h"

namespace pollen::data {

struct Trained {
  const RawTable& table;
  const Roles& roles;
  const Encoding& encoding;
  const DataSpec& spec;
  const std::string& where;
};

// Fills `test`, `ood` and `distill` of the federation, whose intercept is settled; not yet imputed or standardised. No
// test row belongs to a client. The number of cells that are missing is returned. Adds to the federation's notes.
Index add_given_rows(const Trained& trained, TargetKind target, TableMemory& memory, Federation& federation);

// Numbers missing in columns that are features.
Index missing_cells(const RawTable& table, const Roles& roles);

}  // namespace pollen::data
