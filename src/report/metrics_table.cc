#include "metrics_table.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <vector>

#include "pollen/errors.h"

namespace pollen::report {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    cells.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells.push_back(line);
  return cells;
}

}  // namespace

Json metrics_table(std::string_view text, const std::string& path, std::size_t most) {
  const auto lines = lines_of(text);
  const auto names = lines.empty() ? std::vector<std::string_view>{} : cells_of(lines.front());
  if (names.empty() || names.front() != "round")
    throw ConfigError(path, "found no line of column names that begins with round, accepted: metrics.csv of a run");
  const std::size_t rows = lines.size() - 1, shown = std::min(rows, most);
  std::vector<std::vector<double>> columns(names.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t at = (i + 1) * rows / shown;  // the last row is always among them; line 0 holds the names
    const auto cells = cells_of(lines[at]);
    const auto fail = [&](const std::string& what) {
      throw ConfigError(fmt::format("{}: row {}", path, at + 1), what);
    };
    if (cells.size() != names.size())
      fail(fmt::format("found {} cells, accepted: {}, as the names have", cells.size(), names.size()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      double value = std::numeric_limits<double>::quiet_NaN();  // an empty cell has no number
      const auto [end, error] = std::from_chars(cells[c].data(), cells[c].data() + cells[c].size(), value);
      if (!cells[c].empty() && (error != std::errc{} || end != cells[c].data() + cells[c].size()))
        fail(fmt::format("column {}: found \"{}\", accepted: a number or nothing", names[c], cells[c].substr(0, 40)));
      columns[c].push_back(value);
    }
  }
  Json values = Json::array();
  for (const auto& column : columns) values.push_back(numbers(column));
  return {{"columns", names}, {"values", std::move(values)}, {"rowsInAll", rows}};
}

}  // namespace pollen::report
