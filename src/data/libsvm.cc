#include <fmt/format.h>

#include <charconv>

#include "cell.h"
#include "data/phrases.h"
#include "pollen/errors.h"
#include "readers.h"

namespace pollen::data {

namespace {

constexpr std::uint32_t kMostFeatures = 1'000'000;  // rows become dense, so more features would not fit into memory

// Removes the next word from the line and returns it.
std::string_view take_word(std::string_view& line) {
  const std::size_t from = line.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) {
    line = {};
    return {};
  }
  const std::size_t to = std::min(line.find_first_of(" \t\r", from), line.size());
  const std::string_view word = line.substr(from, to - from);
  line.remove_prefix(to);
  return word;
}

// Adds an entry that must follow position `last` (counted from 1; 0 means none). Returns why it was refused, or an
// empty text if it was added.
std::string add_entry(std::string_view word, std::uint32_t last, SparseRows& rows) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos)
    return fmt::format("found {}, accepted: position:value, such as 3:0.5", in_quotes(word));
  std::uint32_t position = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + colon, position);
  if (error != std::errc() || end != word.data() + colon || position == 0 || position > kMostFeatures)
    return fmt::format("found the position {}, accepted: a whole number from 1 to {}", in_quotes(word.substr(0, colon)),
                       kMostFeatures);
  if (position <= last) return fmt::format("found position {} after {}, accepted: positions that rise", position, last);
  const Cell value = read_cell(word.substr(colon + 1));
  if (value.kind != CellKind::number)
    return fmt::format("found the value {} at position {}, accepted: a finite number",
                       in_quotes(word.substr(colon + 1)), position);
  rows.position.push_back(position - 1);
  rows.value.push_back(value.number);
  return {};
}

std::string add_line(std::string_view line, Column& label, SparseRows& rows) {
  const std::string_view first = take_word(line);
  const Cell cell = read_cell(first);
  if (cell.kind != CellKind::number) return fmt::format("found the label {}, accepted: a number", in_quotes(first));
  std::uint32_t last = 0;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (std::string why = add_entry(word, last, rows); !why.empty()) return why;
    last = rows.position.back() + 1;
  }
  label.add_number(cell.number);
  rows.begin.push_back(rows.position.size());
  return {};
}

}  // namespace

RawTable parse_libsvm(std::string_view text, Index limit, const std::string& file) {
  if (text.find('\0') != std::string_view::npos)
    throw ConfigError(file, "found binary data (a zero byte), accepted: libsvm text");
  RawTable table;
  table.files = {file};
  Column& label = table.columns.emplace_back();
  label.name = "label";
  SparseRows rows;
  Problems problems;
  std::uint32_t number = 0;
  while (!text.empty() && !problems.full() && (limit == 0 || std::ssize(table.rows) < limit)) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (std::string why = add_line(line, label, rows); !why.empty())
      problems.add(fmt::format("{}: row {}", file, number), std::move(why));
    else
      table.rows.push_back({0, static_cast<std::uint32_t>(table.rows.size()), number});
  }
  problems.raise();
  if (table.rows.empty()) throw ConfigError(file, "found no rows, accepted: at least one row");
  Index width = 0;
  for (const std::uint32_t position : rows.position) width = std::max<Index>(width, position + 1);
  table.add_block(width, std::move(rows));
  return table;
}

DataFormat libsvm_format() {
  return {"libsvm", "lines of a label and position:value pairs", "",
          [](const std::string& name) {
            return name.ends_with(".libsvm") || name.ends_with(".svm") || name.ends_with(".svmlight");
          },
          [](const DataFile& file) {
            const FileText text(file.path, std::max(kMostBytes, static_cast<std::size_t>(file.spec.most_cells)));
            return parse_libsvm(text.text(), file.spec.limit, file.path);
          }};
}

}  // namespace pollen::data
