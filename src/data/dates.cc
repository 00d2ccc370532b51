// Recognises dates, times of the day, addresses and numbers with a unit in cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cell.h"
#include "column_summary.h"

namespace pollen::data {

namespace {

// Takes a number of `least` to `most` digits from the front of a text.
std::optional<int> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  int value = 0;
  while (count < text.size() && count < most && is_digit(text[count])) value = 10 * value + (text[count++] - '0');
  if (count < least) return {};
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool within(std::optional<int> value, int low, int high) { return value && *value >= low && *value <= high; }

// Takes a time of the day: 7:05, 12:30:15 or 12:30:15.25, and after it AM, PM, Z or an offset such as +01:00.
bool take_time(std::string_view& text) {
  if (!within(take_digits(text, 1, 2), 0, 24) || !take(text, ':') || !within(take_digits(text, 2, 2), 0, 59))
    return false;
  if (take(text, ':') && !within(take_digits(text, 2, 2), 0, 60)) return false;
  if (text.size() > 1 && text.front() == '.' && is_digit(text[1])) {
    take(text, '.');
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  }
  take(text, ' ');
  for (const std::string_view end : {"AM", "PM", "am", "pm", "Z", "UTC"})
    if (text == end) text = {};
  if (take(text, '+') || take(text, '-')) {
    if (!within(take_digits(text, 2, 2), 0, 14)) return false;
    take(text, ':');
    if (!within(take_digits(text, 2, 2), 0, 59)) return false;
  }
  return true;
}

// Takes the name of a month, such as Mar or March, in English.
bool take_month(std::string_view& text) {
  static constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                            "jul", "aug", "sep", "oct", "nov", "dec"};
  std::string word;
  while (!text.empty() && ((text.front() | 0x20) >= 'a' && (text.front() | 0x20) <= 'z')) {
    word += static_cast<char>(text.front() | 0x20);
    text.remove_prefix(1);
  }
  for (const std::string_view month : kMonths)
    if (word.size() <= 9 && word.starts_with(month)) return true;
  return false;
}

// Takes the second and the third part of a date after a first of so many digits, with the same sign between them.
bool take_rest(std::string_view& text, std::size_t digits, int first) {
  if (text.empty()) return false;
  const char sign = text.front();
  if ((sign != '-' && sign != '/' && sign != '.' && sign != ' ') || !take(text, sign)) return false;
  const bool named = !text.empty() && !is_digit(text.front());
  if (named && !take_month(text)) return false;
  const std::optional<int> second = named ? 1 : take_digits(text, 1, 2);
  if (!second || !take(text, sign)) return false;
  if (digits == 4) return within(second, 1, 12) && within(take_digits(text, 1, 2), 1, 31);
  if (sign == ' ' && !named) return false;
  const std::size_t before = text.size();
  const std::optional<int> year = take_digits(text, 2, 4);
  const std::size_t length = before - text.size();
  const bool months = (*second <= 12 && first <= 31) || (first <= 12 && *second <= 31);
  return year && length != 3 && first >= 1 && *second >= 1 && months;
}

// Takes 05Mar2021, as SAS writes it, or March 5, 2021. Takes nothing if it returns false.
bool take_named_date(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.empty() && is_digit(rest.front())) {
    if (!within(take_digits(rest, 1, 2), 1, 31) || !take_month(rest)) return false;
  } else {
    if (!take_month(rest)) return false;
    take(rest, '.');
    if (!take(rest, ' ') || !within(take_digits(rest, 1, 2), 1, 31)) return false;
    take(rest, ',');
    if (!take(rest, ' ')) return false;
  }
  if (!take_digits(rest, 4, 4) && !take_digits(rest, 2, 2)) return false;
  text = rest;
  return true;
}

// Whether a text is an e-mail address: letters, @, and letters with a point among them.
bool is_mail(std::string_view cell) {
  const std::size_t at = cell.find('@');
  if (at == std::string_view::npos || at == 0 || cell.find('@', at + 1) != std::string_view::npos) return false;
  const std::size_t point = cell.rfind('.');
  return point != std::string_view::npos && point > at + 1 && point + 1 < cell.size() &&
         cell.find(' ') == std::string_view::npos;
}

// Whether a text is a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, with signs between them or without.
bool is_uuid(std::string_view cell) {
  constexpr std::size_t kDigits = 32, kWithSigns = 36;
  if (cell.size() != kDigits && cell.size() != kWithSigns) return false;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const bool border = cell.size() == kWithSigns && (i == 8 || i == 13 || i == 18 || i == 23);
    const bool hex = is_digit(cell[i]) || ((cell[i] | 0x20) >= 'a' && (cell[i] | 0x20) <= 'f');
    if (border ? cell[i] != '-' : !hex) return false;
  }
  return true;
}

}  // namespace

bool is_address(std::string_view cell) { return is_mail(cell) || is_uuid(cell); }

bool has_unit(std::string_view cell) {
  constexpr std::size_t kLongest = 8;  // bytes of a unit
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const std::size_t first = cell.find_first_of("0123456789");
  if (first == std::string_view::npos || std::ranges::any_of(cell.substr(0, first), is_letter)) return false;
  const std::size_t last = std::min(cell.find_first_not_of("0123456789.,-+", first), cell.size());
  const std::size_t before = cell.starts_with('-') || cell.starts_with('+') ? first - 1 : first;
  return (before == 0) != (last == cell.size()) && before <= kLongest && cell.size() - last <= kLongest &&
         std::ranges::none_of(cell.substr(last), is_digit);
}

bool is_time(std::string_view cell) { return take_time(cell) && cell.empty(); }

bool is_date(std::string_view cell) {
  if (take_named_date(cell)) return cell.empty();
  const std::size_t size = cell.size();
  const std::optional<int> first = take_digits(cell, 1, 4);
  const std::size_t digits = size - cell.size();
  if (!first || digits == 3 || !take_rest(cell, digits, *first)) return false;
  if (cell.empty()) return true;
  return (take(cell, 'T') || take(cell, ' ')) && take_time(cell) && cell.empty();
}

bool is_date(double number) {
  if (!(number >= 19000101 && number <= 21001231) || std::floor(number) != number) return false;
  const auto whole = static_cast<int>(number);
  const int month = whole / 100 % 100, day = whole % 100;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

}  // namespace pollen::data
