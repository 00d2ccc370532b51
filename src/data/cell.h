// Classifies one cell of a text file as a number, missing or text. The result depends only on the bytes of the cell,
// never on the locale or the C library. All functions are thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace pollen::data {

enum class CellKind {
  number,      // a finite number
  missing,     // empty, NA, ? or nan
  not_finite,  // inf, or a number outside the range of a double
  text,
};

struct Cell {
  CellKind kind = CellKind::text;
  double number = 0.0;
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

Cell read_cell(std::string_view cell);

// Returns the shortest text that reads back as the same number, such as "1" or "0.5".
std::string number_text(double value);

// Returns the name of a level. Numbers are written in their shortest form, so that 1, 1.0 and +1 are one level; codes
// such as 007 stay as they are.
std::string level_text(std::string_view cell);

}  // namespace pollen::data
