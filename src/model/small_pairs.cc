#include "small_pairs.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pollen::model {

namespace {

// The rows in which a column has the larger of its two values, as bits; empty if it has not exactly two values.
using RowBits = std::vector<std::uint64_t>;
constexpr std::size_t kBits = 64;

RowBits rows_of_larger(const RowsView& x, Index column) {
  const auto at = [&](Index row) { return x.row(row)[column]; };
  double low = at(0), high = at(0);
  for (Index r = 1; r < x.rows; ++r) {
    low = std::min(low, at(r));
    high = std::max(high, at(r));
  }
  RowBits bits((static_cast<std::size_t>(x.rows) + kBits - 1) / kBits);
  for (Index r = 0; r < x.rows; ++r) {
    if (at(r) != low && at(r) != high) return {};
    if (at(r) == high)
      bits[static_cast<std::size_t>(r) / kBits] |= std::uint64_t{1} << (static_cast<std::size_t>(r) % kBits);
  }
  return low < high ? bits : RowBits();
}

Index common(const RowBits& a, const RowBits& b) {
  Index count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += std::popcount(a[k] & b[k]);
  return count;
}

bool small_pair(const RowBits& a, const RowBits& b, Index rows, Index least) {
  const Index both = common(a, b), first = common(a, a) - both, second = common(b, b) - both;
  for (const Index group : {both, first, second, rows - both - first - second})
    if (group > 0 && group < least) return true;
  return false;
}

}  // namespace

void hide_small_pairs(const RowsView& x, Index least, std::span<double> half) {
  if (least <= 1 || x.rows == 0 || half.empty()) return;
  std::vector<RowBits> bits;
  for (Index j = 0; j < x.columns; ++j) bits.push_back(rows_of_larger(x, j));
  std::vector<bool> hidden(bits.size() * bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!bits[i].empty() && !bits[j].empty() && small_pair(bits[i], bits[j], x.rows, least))
        hidden[i * bits.size() + j] = hidden[j * bits.size() + i] = true;
  const auto d = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(half.size()) + 1) - 1) / 2 + 0.5);
  const std::size_t with_column = d / bits.size() * bits.size();
  double* next = half.data();
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t i = k; i < d; ++i, ++next)
      if (i < with_column && k < with_column && hidden[i % bits.size() * bits.size() + k % bits.size()]) *next = 0;
}

}  // namespace pollen::model
