// Rows of a file that are encoded like rows which were read before: test rows with a file of their own, and rows that
// arrive after training. Columns may be in any order, with other columns between them. Anything that the earlier rows
// do not know is a ConfigError that names the file. Not thread-safe.
#pragma once

#include <string>

#include "data/row_layout.h"
#include "encode.h"
#include "pollen/errors.h"
#include "raw_table.h"

namespace pollen::data {

// What the rows must be like.
struct Example {
  const RowLayout& layout;
  TargetKind target;  // none: no target is looked for
  std::string whose;  // where the layout is from, for messages, such as "heart.csv has"
};

class LikeRows {
 public:
  // Reads the only source of `spec`, whose columns, levels and labels are replaced by those of the layout. The example
  // must outlive this object.
  LikeRows(const Example& example, DataSpec spec, const std::string& where);

  RawTable& table() { return table_; }
  const Roles& roles() const { return roles_; }
  const DataSpec& spec() const { return spec_; }
  // Encodes the rows. Numbers may be missing if spec().missing is "mean".
  Encoding encode() const;

 private:
  const std::string& file() const { return spec_.sources.front(); }
  void check_width();
  void find_columns();
  void check_cells(const Column& column, bool numbers, bool may_be_missing, Problems& problems) const;

  const Example& example_;
  DataSpec spec_;
  RawTable table_;
  Roles roles_;
};

}  // namespace pollen::data
