// What one cell of a text file holds. A pure function of its bytes: no locale, no libm.
#pragma once

#include <string>
#include <string_view>

namespace pollen::data {

enum class CellKind {
  number,      // finite
  missing,     // empty, NA, ?, nan
  not_finite,  // inf, or a number outside the range of a double
  text,
};

struct Cell {
  CellKind kind = CellKind::text;
  double number = 0.0;
};

Cell read_cell(std::string_view cell);

std::string_view trimmed(std::string_view text);  // without spaces and tabs at both ends

// The shortest text that reads back as the same number: "1", "0.5".
std::string number_text(double value);

// A level's name: numbers in their shortest form, so that 1, 1.0 and +1 are one level; codes such as 007 stay as they
// are.
std::string level_text(std::string_view cell);

}  // namespace pollen::data
