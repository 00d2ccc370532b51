// The checks between reading and encoding: missing cells, columns that mix numbers and text, targets of the wrong kind.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"
#include "raw_table.h"
#include "roles.h"

namespace pollen::data {

// Text when read so, or when no cell is a number.
bool is_text(const Column& column);

// Drops rows (missing = "drop") and throws ConfigError for what cannot stay. Afterwards every used column is all
// numbers or all text, and only features that are numbers have missing cells (missing = "mean"). Adds to `notes`.
void settle_cells(RawTable& table, const Roles& roles, const DataSpec& spec, std::vector<std::string>& notes);

// real: numbers; count: whole numbers from 0; binary and classes: no fractions. Throws ConfigError.
void check_target(const RawTable& table, const Roles& roles, TargetKind target);

}  // namespace pollen::data
