#include "column_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/phrases.h"

namespace pollen::data {

namespace {

std::size_t width_of(const std::string& text) {  // width in UTF-8 characters
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string type_of(const ColumnSummary& column, bool has_levels) {
  switch (column.type) {
    case ColumnType::empty:
      return "nothing";
    case ColumnType::numbers:
      return "numbers";
    case ColumnType::whole_numbers:
      return has_levels ? "labels" : "whole numbers";
    case ColumnType::text:
      return "text";
    case ColumnType::dates:
      return "dates";
    case ColumnType::times:
      return "times";
  }
  return {};
}

// Lists the levels of text or the labels of a target, or says where numbers lie.
std::string values_of(const ColumnSummary& column, const ColumnFacts& layout) {
  constexpr std::size_t kMost = 6;
  const auto known = layout.levels.find(column.name);
  if (known != layout.levels.end()) {
    std::vector<std::string> names;
    for (const std::string& level : known->second) {
      const std::string quoted = in_quotes(level);
      names.push_back(quoted.substr(1, quoted.size() - 2));
    }
    if (column.name != layout.target && !names.empty()) names.front() += " (reference)";
    return fmt::format("{}: {}", known->second.size(), listed(names, kMost));
  }
  if (column.type == ColumnType::empty) return "";
  if (!column.levels.empty())
    return fmt::format("{} {}", column.distinct, layout.columns.empty() ? "different" : "clients");
  constexpr Index kCounted = 1000;
  const std::string different =
      column.distinct > kCounted ? "over 1,000 different" : fmt::format("{} different", column.distinct);
  return fmt::format("{:.6g} to {:.6g}, {}", column.lowest, column.highest,
                     column.distinct == 1 ? "all the same" : different);
}

}  // namespace

std::string aligned(const std::vector<Line>& lines, const std::vector<std::size_t>& left) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width_of(line[c]));
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string pad(widths[c] - width_of(line[c]), ' ');
      const bool to_left = c == 0 || std::ranges::count(left, c) > 0;
      text += (c == 0 ? "" : "  ") + (to_left ? line[c] + (c + 1 < line.size() ? pad : "") : pad + line[c]);
    }
    text += '\n';
  }
  return text;
}

std::string column_table(const std::vector<ColumnSummary>& columns, const ColumnFacts& layout) {
  if (columns.empty()) return {};
  std::vector<Line> lines = {{"column", "holds", "values", "missing"}};
  for (const ColumnSummary& column : columns) {
    const bool target = column.name == layout.target;
    lines.push_back({target ? column.name + " (target)" : column.name,
                     type_of(column, layout.levels.contains(column.name)), values_of(column, layout),
                     fmt::format("{}", column.missing)});
  }
  return aligned(lines, {1, 2});
}

std::string event_line(const ColumnFacts& layout, const std::vector<std::string>& classes) {
  if (classes.size() != 2) return {};
  const auto labels = layout.levels.find(layout.target);
  const bool merged = labels != layout.levels.end() && labels->second != classes;
  return fmt::format(
      "models P({0} = {2}); {3} models P({0} = {1})\n", layout.target, classes[0], classes[1],
      merged ? "data.positive with the other labels" : fmt::format("data.positive = [\"{}\"]", classes[0]));
}

}  // namespace pollen::data
