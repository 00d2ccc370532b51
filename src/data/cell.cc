#include "cell.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace pollen::data {

namespace {

constexpr std::size_t kExactDigits = 15;  // a double may not keep more digits than these

}  // namespace

Cell read_cell(std::string_view cell) {
  if (cell.empty() || cell == "NA" || cell == "?") return {CellKind::missing, 0.0};
  std::string_view digits = cell;
  if (digits.front() == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) return {CellKind::text, 0.0};
  if (error == std::errc::result_out_of_range || !std::isfinite(value))
    return {std::isnan(value) ? CellKind::missing : CellKind::not_finite, 0.0};
  return {CellKind::number, value};
}

std::string number_text(double value) {
  if (value == 0.0) return "0";  // covers -0, too
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc() ? std::string(buffer, end) : std::string();
}

std::string level_text(std::string_view cell) {
  const bool code = cell.size() > 1 && cell[0] == '0' && is_digit(cell[1]);
  if (code || cell.size() > kExactDigits) return std::string(cell);
  const Cell parsed = read_cell(cell);
  return parsed.kind == CellKind::number ? number_text(parsed.number) : std::string(cell);
}

}  // namespace pollen::data
