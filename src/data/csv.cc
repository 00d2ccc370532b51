#include <fmt/format.h>

#include <algorithm>

#include "cell.h"
#include "csv_scan.h"
#include "formats.h"
#include "phrases.h"
#include "pollen/errors.h"
#include "readers.h"

namespace pollen::data {

namespace {

std::vector<Column> named_columns(const std::vector<std::string_view>& fields, const CsvOptions& options,
                                  const std::string& file, std::size_t line) {
  Problems problems;
  std::vector<Column> columns(fields.size());
  std::set<std::string> seen;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    columns[c].name = options.header ? std::string(fields[c]) : fmt::format("c{}", c + 1);
    columns[c].as_text = options.categorical.count(columns[c].name) > 0;
    const std::string where = fmt::format("{}: row {}", file, line);
    if (columns[c].name.empty())
      problems.add(where, fmt::format("column {} has no name, accepted: a name for each column", c + 1));
    else if (!seen.insert(columns[c].name).second)
      problems.add(where, fmt::format("found the column {} twice, accepted: different names", in_quotes(fields[c])));
  }
  problems.raise();
  return columns;
}

// A header made of numbers is a file without one.
void check_header(const std::vector<std::string_view>& fields, const std::string& file, std::size_t line) {
  const bool numbers = std::all_of(fields.begin(), fields.end(),
                                   [](std::string_view field) { return read_cell(field).kind != CellKind::text; });
  const bool any = std::any_of(fields.begin(), fields.end(),
                               [](std::string_view field) { return read_cell(field).kind == CellKind::number; });
  if (numbers && any)
    throw ConfigError(fmt::format("{}: row {}", file, line),
                      "found numbers where the column names should be, accepted: a header row, or data.header = false");
}

}  // namespace

RawTable parse_csv(std::string_view text, const CsvOptions& options, const std::string& file) {
  CsvScanner scanner(text, file);
  std::vector<std::string_view> fields;
  if (!scanner.next(fields)) throw ConfigError(file, "the file is empty");
  RawTable table;
  table.files = {file};
  if (options.header) check_header(fields, file, scanner.line());
  table.columns = named_columns(fields, options, file, scanner.line());
  Problems problems;
  bool more = !options.header || scanner.next(fields);
  while (more && !problems.full() && (options.limit == 0 || std::ssize(table.rows) < options.limit)) {
    const auto line = static_cast<std::uint32_t>(scanner.line());
    if (fields.size() != table.columns.size()) {
      problems.add(fmt::format("{}: row {}", file, line),
                   fmt::format("found {} fields, accepted: {}", fields.size(), table.columns.size()));
    } else {
      for (std::size_t c = 0; c < fields.size(); ++c) table.columns[c].add_cell(fields[c]);
      table.rows.push_back({0, static_cast<std::uint32_t>(table.rows.size()), line});
    }
    more = scanner.next(fields);
  }
  problems.raise();
  if (table.rows.empty()) throw ConfigError(file, "found a header and no rows, accepted: at least one row");
  return table;
}

DataFormat csv_format() {
  return {"csv", "text with one row per line and a header; text columns become indicators",
          "target features categorical levels header",
          [](const std::string& name) {
            return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".data") ||
                   name.ends_with(".txt");
          },
          [](const DataFile& file) {
            const DataSpec& spec = file.spec;
            CsvOptions options{spec.header, {spec.categorical.begin(), spec.categorical.end()}, spec.limit};
            for (const auto& [column, levels] : spec.levels) options.categorical.insert(column);
            const FileText text(file.path, std::max(kMostBytes, static_cast<std::size_t>(spec.most_cells)));
            return parse_csv(text.text(), options, file.path);
          }};
}

}  // namespace pollen::data
