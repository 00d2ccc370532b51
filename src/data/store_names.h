// Archives the texts of a store in the order of its section `names`. The archive decides whether they are read or
// written.
#pragma once

#include "pollen/archive.h"
#include "pollen/data.h"

namespace pollen::data {

inline void archive_names(Archive& archive, Federation& federation) {
  ColumnFacts& layout = federation.layout;
  archive.texts(federation.feature_names);
  archive.texts(federation.class_names);
  archive.texts(federation.notes);
  archive.texts(layout.columns);
  archive.text(layout.target);
  std::vector<std::string> columns;
  for (const auto& [column, levels] : layout.levels) columns.push_back(column);
  archive.texts(columns);
  for (const std::string& column : columns) archive.texts(layout.levels[column]);
}

}  // namespace pollen::data
