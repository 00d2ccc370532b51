
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "cell.h"
#include "data/phrases.h"
#include "encode.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

// The distinct cells of a column, and which of them each row has.
struct Distinct {
  std::vector<std::string> texts;
  std::vector<std::uint32_t> of_row;
};

Distinct distinct_numbers(const Column& column) {
  Long<double> values = column.number;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Distinct distinct;
  for (const double value : values) distinct.texts.push_back(number_text(value));
  for (const double value : column.number)
    distinct.of_row.push_back(
        static_cast<std::uint32_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin()));
  return distinct;
}

// Collects the texts of a column, leaving out those that only dropped rows had.
Distinct distinct_texts(const Column& column) {
  constexpr auto kUnseen = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> place(column.texts.size(), kUnseen);
  Distinct distinct;
  for (const std::int32_t code : column.code) {
    const auto c = static_cast<std::size_t>(code);
    if (place[c] == kUnseen) {
      place[c] = static_cast<std::uint32_t>(distinct.texts.size());
      distinct.texts.push_back(column.texts[c]);
    }
    distinct.of_row.push_back(place[c]);
  }
  return distinct;
}

// Reports every cell that is not `known` once, where it occurs first.
void refuse_unknown(const RawTable& table, const Column& column, const Distinct& distinct,
                    const std::vector<std::string>& accepted, std::vector<bool> known) {
  Problems problems;
  for (std::size_t r = 0; r < distinct.of_row.size() && !problems.full(); ++r) {
    const std::uint32_t d = distinct.of_row[r];
    if (!known[d]) problems.add(table.where(r, column.name), unknown_name(distinct.texts[d], accepted));
    known[d] = true;
  }
  problems.raise();
}

}  // namespace

std::vector<std::string> sorted_levels(std::vector<std::string> names) {
  const bool numbers = std::all_of(names.begin(), names.end(),
                                   [](const std::string& name) { return read_cell(name).kind == CellKind::number; });
  std::sort(names.begin(), names.end());
  if (numbers)
    std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return read_cell(a).number < read_cell(b).number;
    });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> given_levels(const std::vector<std::string>& listed) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const std::string& name : listed)
    if (std::string text = level_text(trimmed(name)); seen.insert(text).second) names.push_back(std::move(text));
  return names;
}

Levels levels_of(const RawTable& table, const Column& column, const DataSpec& spec) {
  Distinct distinct = is_text(column) ? distinct_texts(column) : distinct_numbers(column);
  Levels levels;
  const auto given = spec.levels.find(column.name);
  levels.given = given != spec.levels.end();
  levels.names = levels.given ? given_levels(given->second) : sorted_levels(distinct.texts);
  std::map<std::string_view, std::uint32_t> index;
  for (std::uint32_t l = 0; l < levels.names.size(); ++l) index.emplace(levels.names[l], l);
  std::vector<std::uint32_t> place;
  std::vector<bool> known;
  for (const std::string& text : distinct.texts) {
    const auto at = index.find(text);
    known.push_back(at != index.end());
    place.push_back(known.back() ? at->second : 0);
  }
  refuse_unknown(table, column, distinct, levels.names, known);
  for (std::uint32_t& d : distinct.of_row) d = place[d];
  levels.of_row = std::move(distinct.of_row);
  return levels;
}

}  // namespace pollen::data
