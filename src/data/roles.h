// What each column of a RawTable is for: target, clients, features. Columns without a role are never looked at again.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

struct Roles {
  Index target = -1;                  // -1: none
  Index client = -1;                  // by-column's column; -1: none
  std::vector<std::size_t> features;  // named columns; a block's features come on their own

  std::vector<std::size_t> used() const;
};

// Throws ConfigError with every name that is not there, and the nearest that is.
Roles assign_roles(const RawTable& table, const DataSpec& spec, TargetKind target, const std::string& where);

}  // namespace pollen::data
