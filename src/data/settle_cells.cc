#include "settle_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cell.h"
#include "data/phrases.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

bool is_word_for_missing(std::string_view cell) {
  static constexpr std::array<std::string_view, 11> kWords{"N/A",  "n/a",  "na", "#N/A", "null", "NULL",
                                                           "None", "none", "-",  "--",   "."};
  return std::ranges::count(kWords, cell) > 0;
}

// Returns the number in a cell such as 76,0 or -1,25: digits on both sides of one comma.
std::optional<double> decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  const std::size_t sign = cell.starts_with('-') || cell.starts_with('+') ? 1 : 0;
  if (comma == std::string_view::npos || comma == sign || comma + 1 == cell.size()) return {};
  for (std::size_t i = sign; i < cell.size(); ++i)
    if (i != comma && !is_digit(cell[i])) return {};
  std::string text(cell);
  text[comma] = '.';
  const Cell parsed = read_cell(text);
  return parsed.kind == CellKind::number ? std::optional(parsed.number) : std::nullopt;
}

// Whether a cell is a number whose digits stand in groups of three, such as 1,234,567 or 1.234,50 or 1'234.
bool has_groups(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  std::size_t digits = 0, groups = 0;
  char sign = 0;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (is_digit(cell[i])) {
      ++digits;
      continue;
    }
    if (digits == 0 || (groups > 0 ? digits != 3 : digits > 3)) return false;
    if (groups > 0 && cell[i] != sign)  // what follows is the fraction
      return (cell[i] == '.' || cell[i] == ',') && i + 1 < cell.size() &&
             std::ranges::all_of(cell.substr(i + 1), is_digit);
    sign = cell[i];
    if (std::string_view(",.' ").find(sign) == std::string_view::npos) return false;
    ++groups;
    digits = 0;
  }
  return groups > 0 && digits == 3;
}

// What the texts of a column are, and which numbers stand for them: NaN for words for missing values.
struct Texts {
  std::size_t commas = 0, groups = 0, missing = 0, others = 0;
  std::vector<double> numbers;
  std::string comma, group, word;  // the first of each
};

Texts read_texts_of(const Column& column) {
  Texts out;
  for (const std::string& text : column.texts) {
    out.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    if (is_word_for_missing(text)) {
      if (out.missing++ == 0) out.word = text;
    } else if (const std::optional<double> number = decimal_comma(text)) {
      if (out.commas++ == 0) out.comma = text;
      out.numbers.back() = *number;
    } else if (has_groups(text)) {
      if (out.groups++ == 0) out.group = text;
    } else {
      ++out.others;
    }
  }
  return out;
}

std::string cells(std::size_t count) { return fmt::format("{} cell{}", count, count == 1 ? "" : "s"); }

bool has_numbers(const Column& column) { return std::ranges::count(column.code, Column::kNumber) > 0; }

bool has_fractions(const Column& column) {
  return std::ranges::any_of(column.number,
                             [](double value) { return !std::isnan(value) && std::floor(value) != value; });
}

void settle(char separator, const std::string& file, Column& column, std::vector<ColumnNote>& notes,
            Problems& problems) {
  const Texts texts = read_texts_of(column);
  if (column.texts.empty() || texts.others > 0) return;
  const std::string where = fmt::format("{}: column {}", file, column.name);
  if (texts.groups > 0)
    return problems.add(
        where, fmt::format("found numbers with digits in groups such as {}, accepted: digits without signs between "
                           "them, or data.categorical = [\"{}\"] if they are no numbers",
                           in_quotes(texts.group), column.name));
  if ((texts.commas > 0 && has_fractions(column)) || (texts.commas == 0 && !has_numbers(column))) return;
  if (texts.commas > 0 && separator != ';')
    return problems.add(
        where, fmt::format("found numbers with a comma such as {}, accepted: decimal points (a file whose cells are "
                           "separated by semicolons may have decimal commas), or data.categorical = [\"{}\"] if they "
                           "are no numbers",
                           in_quotes(texts.comma), column.name));
  std::size_t commas = 0, missing = 0;
  for (const std::int32_t code : column.code)
    if (code >= 0) ++(std::isnan(texts.numbers[static_cast<std::size_t>(code)]) ? missing : commas);
  if (commas > 0)
    notes.push_back({column.name, fmt::format("{}: {} {} read with a decimal comma: {} is {}", where, cells(commas),
                                              commas == 1 ? "is" : "are", in_quotes(texts.comma),
                                              number_text(*decimal_comma(texts.comma)))});
  if (missing > 0) {
    notes.push_back({column.name, fmt::format("{}: {} such as {} {} as missing", where, cells(missing),
                                              in_quotes(texts.word), missing == 1 ? "counts" : "count")});
    column.missing_word = texts.word;
  }
  column.take_numbers(texts.numbers);
}

// Reports the first cell of a column that is not UTF-8.
void refuse_other_encodings(const RawTable& table, const Column& column, Problems& problems) {
  const auto bad = std::ranges::find_if(column.texts, [](const std::string& text) { return !is_utf8(text); });
  if (bad == column.texts.end()) return;
  const auto row = std::ranges::find(column.code, static_cast<std::int32_t>(bad - column.texts.begin()));
  std::string shown = *bad;
  for (char& c : shown)
    if ((static_cast<unsigned char>(c) & 0x80U) != 0) c = '?';
  problems.add(table.where(static_cast<std::size_t>(row - column.code.begin()), column.name),
               fmt::format("found bytes that are not UTF-8 in {}, accepted: UTF-8, as `iconv -f ISO-8859-1 -t UTF-8` "
                           "makes it of Latin-1, or data.exclude = [\"{}\"]",
                           in_quotes(shown), column.name));
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80   ? 1
                               : byte < 0xC2 ? 0
                               : byte < 0xE0 ? 2
                               : byte < 0xF0 ? 3
                               : byte < 0xF5 ? 4
                                             : 0;
    if (length == 0 || text.size() - i < length) return false;
    std::uint32_t point = length == 1 ? byte : byte & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0U) != 0x80U) return false;
      point = point << 6 | (next & 0x3FU);
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (surrogate || point > 0x10FFFF || (length == 3 && point < 0x800) || (length == 4 && point < 0x10000))
      return false;
    i += length;
  }
  return true;
}

void settle_cells(char separator, RawTable& table) {
  Problems problems;
  for (Column& column : table.columns) {
    refuse_other_encodings(table, column, problems);
    if (!column.as_text) settle(separator, table.files.front(), column, table.notes, problems);
  }
  problems.raise();
}

}  // namespace pollen::data
