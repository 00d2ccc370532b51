// Columns to numbers: one-hot for text, class indices for labels.
//
// Text keeps all levels but the first in sorted order, as columns "name=level". Levels that are all numbers are sorted
// as numbers, others by their bytes. Levels are those of the rows, or those given in data.levels.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"
#include "raw_table.h"
#include "roles.h"

namespace pollen::data {

struct Levels {
  std::vector<std::string> names;     // sorted
  std::vector<std::uint32_t> of_row;  // index into names
  bool given = false;                 // in data.levels: nothing to exchange
};

struct Feature {
  std::size_t column = 0;
  Index offset = 0;  // of its first place in the row
  bool text = false;
  Levels levels;  // text only; level l > 0 is at offset + l - 1
};

struct Encoding {
  std::vector<Feature> features;
  std::vector<std::string> names;  // of all places, the block's first
  Index width = 0;
  std::vector<double> y;            // one a row; empty without a target
  Levels classes;                   // empty unless binary or classes
  std::vector<std::string> labels;  // of the target's column, before data.positive made two classes of them

  // Row r's features; `out` is zero before. A missing number is NaN.
  void write(const RawTable& table, std::size_t r, double* out) const;
};

// Throws ConfigError for a level that is not in data.levels and for the wrong number of labels.
Encoding encode(const RawTable& table, const Roles& roles, const DataSpec& spec, TargetKind target);

// As they are encoded: once each, as numbers where all are, else by their bytes.
std::vector<std::string> sorted_levels(std::vector<std::string> names);

// The levels of one column, numbers too. `given` may be null.
Levels levels_of(const RawTable& table, const Column& column, const std::vector<std::string>* given);

}  // namespace pollen::data
