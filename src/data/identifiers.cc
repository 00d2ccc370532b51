#include "identifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/name_words.h"
#include "column_summary.h"
#include "data/phrases.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

constexpr Index kManyLevels = 20;  // text may have so many levels however few rows there are, if some are alike
constexpr Index kFewTexts = 10;    // with fewer rows different texts are no names
constexpr Index kFewKeys = 20;     // with fewer rows different whole numbers are no key

bool has_too_many_levels(const ColumnSummary& text) {
  const bool many = text.distinct > kManyLevels && 3 * text.distinct > text.rows - text.missing;
  return many || text.addresses || (!text.alike && text.distinct >= kFewTexts);
}

// What a column's name says of its whole numbers: a measure, a key if no two are alike, or the number of a person or a
// place, which several rows may have.
enum class Meaning { unknown, measure, key, number };

// The last word that says something decides: id_score is a score, and score_id a number.
Meaning meaning_of(const std::string& name) {
  static const std::set<std::string> kMeasures = {
      "age",    "year",   "years",  "month",  "months", "week",     "weeks",     "day",   "days",       "hour",
      "hours",  "minute", "second", "time",   "t",      "duration", "timestamp", "epoch", "income",     "salary",
      "wage",   "price",  "cost",   "costs",  "amount", "value",    "revenue",   "sales", "population", "count",
      "counts", "total",  "score",  "weight", "height", "length",   "distance",  "area",  "volume",     "size"};
  static const std::set<std::string> kPersons = {"patient", "subject", "person", "participant", "customer"};
  static const std::set<std::string> kKeys = {"account",  "case", "record", "key",   "uuid",   "code",
                                              "row",      "no",   "nr",     "phone", "mobile", "telephone",
                                              "passport", "name", "birth",  "date",  "dob"};
  const std::vector<std::string> words = words_of(name);
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (kMeasures.contains(*word)) return Meaning::measure;
    if (kKeys.contains(*word)) return Meaning::key;
    if (kPersons.contains(*word) || denied_word(*word, identifying_words())) return Meaning::number;
  }
  return Meaning::unknown;
}

// Whether whole numbers, no two of them alike, look like a key: they have no gap between them, or rise from row to row
// with few gaps, or all are large and have as many digits. Large numbers of which many end in 0, such as incomes in
// yen, are measures, and so are years in a row.
bool looks_like_key(const ColumnSummary& numbers) {
  constexpr double kLarge = 1'000'000, kRound = 0.2, kFirstYear = 1900, kLastYear = 2100;
  if (numbers.lowest >= kFirstYear && numbers.highest <= kLastYear) return false;
  const double width = numbers.highest - numbers.lowest + 1, count = static_cast<double>(numbers.distinct);
  const bool dense = width == count || (numbers.rising && width < 2 * count);
  const bool digits = numbers.lowest >= kLarge && static_cast<double>(numbers.round) <= kRound * count &&
                      std::floor(std::log10(numbers.lowest)) == std::floor(std::log10(numbers.highest));
  return dense || digits;
}

bool is_key(const ColumnSummary& numbers) {
  if (numbers.distinct < kFewKeys || numbers.lowest < 0) return false;
  const Meaning meaning = meaning_of(numbers.name);
  if (meaning == Meaning::measure) return false;
  if (numbers.alike) return meaning == Meaning::number;
  return meaning != Meaning::unknown || looks_like_key(numbers);
}

std::string number_of(const ColumnSummary& column) {
  return column.distinct > 1000 && column.alike ? "more than 1,000" : fmt::format("{}", column.distinct);
}

std::string without(const std::string& column) { return fmt::format("data.exclude = [\"{}\"]", column); }

// Returns what is wrong with a column, or an empty text.
std::string fault(const ColumnSummary& column, const DataSpec& spec) {
  const std::string& name = column.name;
  const bool text_is_meant = std::ranges::count(spec.categorical, name) > 0 || spec.levels.contains(name);
  const bool numbers_are_meant = std::ranges::count(spec.features, name) > 0;
  switch (column.type) {
    case ColumnType::text:
      if (text_is_meant || !has_too_many_levels(column)) return {};
      if (column.units)
        return fmt::format(
            "found {} texts such as {}, accepted: numbers without a unit; {} leaves the column out, data.categorical = "
            "[\"{}\"] says that its levels are meant",
            column.distinct, in_quotes(column.example), without(name), name);
      return fmt::format(
          "found {} {} in {} rows, as names and identifiers have, accepted: levels that rows share, at most {} or one "
          "for every three rows; {} leaves the column out, data.categorical = [\"{}\"] says that its levels are meant",
          column.distinct, column.addresses ? "e-mail addresses or UUIDs" : "levels", column.rows - column.missing,
          kManyLevels, without(name), name);
    case ColumnType::dates:
    case ColumnType::times:
      if (text_is_meant || (column.levels.empty() && numbers_are_meant)) return {};
      return fmt::format(
          "found {} different {} such as {}, accepted: a number, such as {}; {} leaves the column out", column.distinct,
          column.type == ColumnType::dates ? "dates" : "times of the day", in_quotes(column.example),
          column.type == ColumnType::dates ? "the days since a day that is the same for all rows" : "hours, as in 12.5",
          without(name));
    case ColumnType::whole_numbers:
      if (numbers_are_meant || !is_key(column)) return {};
      return fmt::format(
          "found {} whole numbers from {} to {}, {}, accepted: a measure; {} leaves the column out, data.features with "
          "its name says that it is meant",
          number_of(column), column.lowest, column.highest,
          column.alike ? "in a column that is called an identifier" : "no two alike, as keys are", without(name));
    default:
      return {};
  }
}

}  // namespace

void refuse_identifiers(const RawTable& table, const Roles& roles, const DataSpec& spec) {
  Problems problems;
  for (const RowRange& rows : rows_of_files(table))
    for (const std::size_t c : roles.features) {
      const std::string why = fault(summary_of(table.columns[c], rows), spec);
      const std::string& file = table.files[table.rows[rows.first].source];
      if (!why.empty()) problems.add(fmt::format("{}: column {}", file, table.columns[c].name), why);
    }
  problems.raise();
}

}  // namespace pollen::data
