// The upper tail of the standard normal law as integers, from which a range coder takes its probabilities. The table is
// made of additions and multiplications alone, so every compiler and every machine has the same one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace pollen::compress {

inline constexpr std::uint32_t kTotal = std::uint32_t{1} << 16;  // all probabilities of a symbol add up to this
inline constexpr std::uint32_t kSymbols = 8;                     // 0, ±1, ±2, ±3 and the escape; each has at least 1

namespace tail_table {

inline constexpr double kPerUnit = 1024;    // bins per standard deviation
inline constexpr std::size_t kBins = 4352;  // up to 4.25 standard deviations, beyond which the tail is below 1

// Entry i is the tail beyond the middle of bin i. The density is carried from bin to bin by its ratio exp(-h(x + h/2)),
// and the ratio by the factor exp(-h²).
constexpr std::array<std::uint16_t, kBins + 1> make() {
  constexpr double h = 1 / kPerUnit, square = h * h;
  constexpr double factor = 1 - square * (1 - square / 2 * (1 - square / 3));
  double ratio = 1 - square / 2 * (1 - square / 4 * (1 - square / 6));
  double density = 0.3989422804014327, tail = 0.5;
  std::array<std::uint16_t, kBins + 1> table = {};
  for (std::size_t i = 0; i < kBins; ++i) {
    const double next = density * ratio;
    ratio *= factor;
    const double bin = h * (density + next) / 2;
    table[i] = static_cast<std::uint16_t>((kTotal - kSymbols) * (tail - bin / 2));
    tail -= bin;
    density = next;
  }
  return table;
}

inline constexpr std::array<std::uint16_t, kBins + 1> kTable = make();

}  // namespace tail_table

// About (kTotal - kSymbols) · P(Z > z) for z ≥ 0, rounded down; it never rises with z.
inline std::uint32_t normal_tail(double z) {
  constexpr double kTop = static_cast<double>(tail_table::kBins);
  return tail_table::kTable[static_cast<std::size_t>(std::min(z * tail_table::kPerUnit, kTop))];
}

}  // namespace pollen::compress
