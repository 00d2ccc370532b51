// Decides what each column of a RawTable is for: target, clients or features. Columns without a role are ignored from
// here on.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

struct Roles {
  Index target = -1;                  // -1 if there is none
  Index client = -1;                  // the column of by-column; -1 if there is none
  std::vector<std::size_t> features;  // named columns only; the features of a block have no role

  std::vector<std::size_t> used() const;
};

// Throws ConfigError with every name that does not exist and the most similar name that does.
Roles assign_roles(const RawTable& table, const DataSpec& spec, TargetKind target, const std::string& where);

}  // namespace pollen::data
