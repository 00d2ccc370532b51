// How a run's rows became numbers, with everything that rows which come later need to become numbers in the same way:
// columns, levels, scaling, labels. No rows. A run leaves it as DIR/encoder.json (docs/formats/files.md), so that it
// can predict where its data are not. Plain data and pure functions.
//
//   const RowLayout layout = parse_layout(read_text("runs/a/encoder.json"), "runs/a/encoder.json");
//   const Table rows = load_rows("new.csv", layout, {});
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pollen/data.h"

namespace pollen {

struct LayoutColumn {
  std::string name;
  std::vector<std::string> levels = {};  // of text, sorted; empty: numbers
  bool operator==(const LayoutColumn&) const = default;
};

struct RowLayout {
  std::string format = "csv";  // csv | libsvm | idx | cifar; empty: by the name of the file that is read
  bool header = true;          // csv
  TargetKind kind = TargetKind::none;
  std::string target;                 // its column
  std::vector<std::string> labels;    // of a target with classes, sorted
  std::vector<std::string> positive;  // of these, those that are class 1; none: every label is a class of its own
  std::vector<std::string> classes;   // the names of the classes, by their index
  std::vector<LayoutColumn> columns;  // the features of a csv file, in the order in which they are encoded
  Index width = 0;                    // of formats without columns: numbers a row
  std::string prefix = "x";           // likewise: they are called x1, x2, ...
  bool intercept = false;
  std::vector<double> mean, sd;  // of every encoded number but the intercept; empty: left as they are
  std::vector<double> fill;      // likewise, what a missing number is encoded as; empty: none may be missing

  Index encoded() const;  // numbers a row, the intercept left out
  Index features() const { return encoded() + (intercept ? 1 : 0); }
  std::vector<std::string> feature_names() const;  // as Federation has them
  bool classifies() const { return kind == TargetKind::binary || kind == TargetKind::classes; }
  bool operator==(const RowLayout&) const = default;
};

// Of rows that were loaded with `spec`, a model wanting `kind` of their targets.
RowLayout layout_of(const Federation& trained, const DataSpec& spec, TargetKind kind);

// Of clients that read files of their own and agreed on columns and scaling (mean and sd empty: none).
RowLayout layout_of(const ColumnFacts& agreed, const ColumnScaling& scaling, const DataSpec& spec, TargetKind kind);

std::string to_json(const RowLayout& layout);
// ConfigError naming `file` and what is wrong, whatever the bytes.
RowLayout parse_layout(std::string_view json, const std::string& file);
RowLayout read_layout(const std::string& file);

struct LaterRows {
  bool with_target = false;  // else none is looked for, and y stays empty
  std::string labels = {};   // idx: the label file; empty: by the name
};
// A file's rows as the layout has them. Columns may be in any order, with others between them. ConfigError naming file
// and row where columns are missing, a level or label is new, or a cell is none.
Table load_rows(const std::string& file, const RowLayout& layout, const LaterRows& options);

}  // namespace pollen
