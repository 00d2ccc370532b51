// From cells to numbers: what each column is for, checks of its cells, and the encoding. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

// What each column of a RawTable is for: target, clients or features. Columns without a role are ignored from
// here on.
struct Roles {
  Index target = -1;                  // -1 if there is none
  Index client = -1;                  // the column of by-column; -1 if there is none
  std::vector<std::size_t> features;  // named columns only; the features of a block have no role

  std::vector<std::size_t> used() const;
};

// Throws ConfigError with every name that does not exist and the most similar name that does.
Roles assign_roles(const RawTable& table, const DataSpec& spec, TargetKind target, const std::string& where);

inline bool has_classes(TargetKind target) { return target == TargetKind::binary || target == TargetKind::classes; }

// Returns whether the column holds text: it was read as text, or none of its cells is a number.
bool is_text(const Column& column);

// Drops rows with missing cells (missing = "drop") and throws ConfigError for cells that cannot be used. Afterwards
// every used column is all numbers or all text, and only numeric features have missing cells (missing = "mean"). Adds
// to `notes` what was done.
void complete_cells(RawTable& table, const Roles& roles, const DataSpec& spec, std::vector<std::string>& notes);

// Checks that the target holds numbers (real), whole numbers from 0 (count), or no fractions (binary and classes).
// Throws ConfigError otherwise.
void check_target(const RawTable& table, const Roles& roles, TargetKind target);

// Turns columns into numbers: one-hot columns for text, class indices for labels.
//
// A text column becomes one column "name=level" for each level but the first, which is the reference. The levels are
// those that data.levels lists, in its order, or those that occur in the rows: sorted as numbers if all are numbers,
// otherwise by their bytes.
struct Levels {
  std::vector<std::string> names;     // the reference first
  std::vector<std::uint32_t> of_row;  // index into names, per row
  bool given = false;                 // true if data.levels gave them, so that clients exchange nothing
};

struct Feature {
  std::size_t column = 0;
  Index offset = 0;  // where the feature begins in an encoded row
  bool text = false;
  Levels levels;  // for text only; level l > 0 is encoded at offset + l - 1
};

struct Encoding {
  std::vector<Feature> features;
  std::vector<std::string> names;  // of all encoded numbers, the block's first
  Index width = 0;
  std::vector<double> y;            // one per row; empty without a target
  Levels classes;                   // empty unless the target is binary or has classes
  std::vector<std::string> labels;  // labels of the target's column before data.positive merges them into two classes

  // Writes the features of row r to `out`, which must be zero. A missing number becomes NaN.
  void write(const RawTable& table, std::size_t r, double* out) const;
};

// Places the features one after another, behind the numbers of a block, and names what they are encoded as. It throws
// ConfigError if the table would be too large.
void lay_out(const RawTable& table, const DataSpec& spec, Encoding& encoding);

// Encodes a table. Throws ConfigError if a level is not in data.levels or the number of labels is wrong.
Encoding encode(const RawTable& table, const Roles& roles, const DataSpec& spec, TargetKind target);
// Does the same for a file that may have only some of the labels: they are listed, but they are not checked and y stays
// empty.
Encoding encode_columns(const RawTable& table, const Roles& roles, const DataSpec& spec, TargetKind target);

// Returns the names of what was encoded.
ColumnFacts facts_of(const RawTable& table, const Roles& roles, const Encoding& encoding);

// Sorts levels that data.levels does not list, without duplicates: as numbers if all are numbers, otherwise by their
// bytes.
std::vector<std::string> sorted_levels(std::vector<std::string> names);

// Returns the levels that data.levels lists for one column, written as cells are, in the same order without duplicates.
std::vector<std::string> given_levels(const std::vector<std::string>& listed);

// Returns the names of the two classes into which data.positive merges labels, such as "no|never" and "yes".
std::vector<std::string> merged_labels(const std::vector<std::string>& labels,
                                       const std::vector<std::string>& positive);

// Returns the levels of one column, even if it holds numbers: those that data.levels gives, or those that occur.
Levels levels_of(const RawTable& table, const Column& column, const DataSpec& spec);

}  // namespace pollen::data
