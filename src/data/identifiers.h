// Refuses columns whose coefficients would say nothing of other rows and whose cells may identify people: text with
// about as many levels as rows, keys, dates and times (docs/data.md has the rules). The functions are pure.
#pragma once

#include "encode.h"
#include "raw_table.h"

namespace pollen::data {

// Checks the features of every file. Throws ConfigError naming file, column, what was found and what can be done. What
// the spec names is taken as meant: text in data.categorical or data.levels, whole numbers in data.features.
void refuse_identifiers(const RawTable& table, const Roles& roles, const DataSpec& spec);

}  // namespace pollen::data
