// Fuzzes csv text. A table that is accepted is rectangular, and reads the same after it is written out as csv.
#include "data/cell.h"
#include "data/readers.h"
#include "pollen/errors.h"
#include "table.h"

namespace pollen::fuzz {
namespace {

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string cell(const data::Column& column, std::size_t row) {
  if (column.missing(row)) return "NA";
  if (column.code[row] == data::Column::kNumber) return data::number_text(column.number[row]);
  return in_quotes(column.texts[static_cast<std::size_t>(column.code[row])]);
}

// Writes the columns that were left out too, with empty cells: a header is accepted or not by all its names.
std::string to_csv(const data::RawTable& table, bool header) {
  std::string out;
  const auto end_of = [&](std::size_t c) { return c + 1 < table.columns.size() ? ',' : '\n'; };
  if (header)
    for (const std::string& name : table.excluded) (out += in_quotes(name)) += ',';
  for (std::size_t c = 0; header && c < table.columns.size(); ++c)
    (out += in_quotes(table.columns[c].name)) += end_of(c);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (header) out.append(table.excluded.size(), ',');
    for (std::size_t c = 0; c < table.columns.size(); ++c) (out += cell(table.columns[c], r)) += end_of(c);
  }
  return out;
}

// Returns whether the separator, which is guessed from the first line, would be guessed wrong.
bool misleading(const std::string& csv) {
  const std::string first = csv.substr(0, csv.find_first_of("\r\n"));
  return first.find(',') == std::string::npos && first.find_first_of(";\t") != std::string::npos;
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const std::uint8_t flags = input.byte();
  data::CsvOptions options;
  options.header = (flags & 1) == 0;
  if ((flags & 2) != 0) options.categorical = {"a", "b", "c1", "c2"};
  options.limit = (flags & 4) != 0 ? 2 : 0;
  if ((flags & 8) != 0 && options.header) options.exclude = {"a"};
  const std::string text = input.text();
  data::RawTable table;
  try {
    table = data::parse_csv(text, options, "in.csv");
  } catch (const ConfigError&) {
    return 0;
  }
  check_table(table, options.limit);
  const std::string again = to_csv(table, options.header);
  if (!misleading(again)) check_same(table, data::parse_csv(again, options, "again.csv"));
  return 0;
}
