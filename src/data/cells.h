// Checks between reading and encoding: missing cells, columns that mix numbers and text, and targets of the wrong kind.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"
#include "raw_table.h"
#include "roles.h"

namespace pollen::data {

// Returns whether the column holds text: it was read as text, or none of its cells is a number.
bool is_text(const Column& column);

// Drops rows with missing cells (missing = "drop") and throws ConfigError for cells that cannot be used. Afterwards
// every used column is all numbers or all text, and only numeric features have missing cells (missing = "mean"). Adds
// to `notes` what was done.
void settle_cells(RawTable& table, const Roles& roles, const DataSpec& spec, std::vector<std::string>& notes);

// Checks that the target holds numbers (real), whole numbers from 0 (count), or no fractions (binary and classes).
// Throws ConfigError otherwise.
void check_target(const RawTable& table, const Roles& roles, TargetKind target);

}  // namespace pollen::data
