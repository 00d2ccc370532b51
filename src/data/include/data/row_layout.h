// Records how a run turned rows into numbers: columns, levels, scaling and labels, but no rows. Later rows can then be
// encoded in the same way. A run writes it as DIR/encoder.json (docs/formats/files.md), so that it can predict where
// its data are not available. Plain data and pure functions, hence thread-safe.
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
  std::vector<std::string> levels = {};  // levels of a text column, the reference first; empty for numbers
  bool constant = false;                 // left out, because all training rows have the same value there
  bool operator==(const LayoutColumn&) const = default;
};

struct RowLayout {
  std::string format = "csv";  // csv | libsvm | idx | cifar; empty: decided by the name of the file that is read
  bool header = true;          // csv only: whether the file has a header
  TargetKind kind = TargetKind::none;
  std::string target;                 // name of the target's column
  std::vector<std::string> labels;    // labels of a target with classes, in the order of the classes
  std::vector<std::string> positive;  // labels that are class 1; if empty, every label is a class of its own
  std::vector<std::string> classes;   // names of the classes, by their index
  std::vector<LayoutColumn> columns;  // features of a csv file, in the order in which they are encoded
  Index width = 0;                    // for formats without columns: numbers per row
  std::string prefix = "x";           // for formats without columns: features are called x1, x2, ...
  bool intercept = false;
  // Numbers that are left out besides those of constant columns, such as those of a level that no training row has:
  // their places, rising, among the numbers that a row becomes before the intercept is added.
  std::vector<std::int64_t> dropped;
  std::vector<double> mean, sd;  // of every encoded number but the intercept; empty: not scaled
  std::vector<double> fill;      // what a missing number is encoded as, per number; empty: none may be missing

  Index encoded() const;  // numbers per row without the intercept
  Index features() const { return encoded() + (intercept ? 1 : 0); }
  std::vector<std::string> feature_names() const;  // the same names as in Federation
  bool classifies() const { return kind == TargetKind::binary || kind == TargetKind::classes; }
  bool operator==(const RowLayout&) const = default;
};

// Makes the layout of rows that were loaded with `spec` for a model whose targets are of this kind.
RowLayout layout_of(const Federation& trained, const DataSpec& spec, TargetKind kind);

// Makes the layout of clients that read their own files and agreed on columns and scaling. Empty mean and sd: no
// scaling.
RowLayout layout_of(const ColumnFacts& agreed, const ColumnScaling& scaling, const DataSpec& spec, TargetKind kind);

std::string to_json(const RowLayout& layout);
// Reads a layout. For any malformed input it throws ConfigError, which names `file` and the problem.
RowLayout parse_layout(std::string_view json, const std::string& file);
RowLayout read_layout(const std::string& file);

struct LaterRows {
  bool with_target = false;  // if false, no target is looked for and y stays empty
  std::string labels = {};   // idx: the label file; if empty, it is found by the name of the image file
};
// Reads a file's rows in this layout. Columns may be in any order, with other columns between them. Throws ConfigError
// naming file and row if a column is missing, a level or label is new, or a cell cannot be read.
Table load_rows(const std::string& file, const RowLayout& layout, const LaterRows& options);

// Says which columns of such rows have numbers that are more than 8 standard deviations away from the mean of the
// training rows, so that predictions are extrapolations: an age in days, for instance. Columns that were not
// standardised are not looked at.
std::vector<std::string> extrapolations(const Table& rows, const RowLayout& layout, const std::string& file);

}  // namespace pollen
