#include "small_pairs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace pollen::model {

namespace {

using Bits = std::vector<std::uint64_t>;
constexpr std::size_t kBits = 64;

Index common(const Bits& a, const Bits& b) {
  Index count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += std::popcount(a[k] & b[k]);
  return count;
}

// The rows in which a column has the larger of its two values; empty if it has not exactly two values.
struct RowBits {
  Bits bits;
  Index count = 0;
};

RowBits rows_of_larger(const RowsView& x, Index column) {
  const auto at = [&](Index row) { return x.row(row)[column]; };
  double low = at(0), high = at(0);
  for (Index r = 1; r < x.rows; ++r) {
    low = std::min(low, at(r));
    high = std::max(high, at(r));
  }
  Bits bits((static_cast<std::size_t>(x.rows) + kBits - 1) / kBits);
  for (Index r = 0; r < x.rows; ++r) {
    if (at(r) != low && at(r) != high) return {};
    if (at(r) == high)
      bits[static_cast<std::size_t>(r) / kBits] |= std::uint64_t{1} << (static_cast<std::size_t>(r) % kBits);
  }
  if (low == high) return {};
  const Index count = common(bits, bits);
  return {std::move(bits), count};
}

bool small_pair(const RowBits& a, const RowBits& b, Index rows, Index least) {
  const Index both = common(a.bits, b.bits), first = a.count - both, second = b.count - both;
  for (const Index group : {both, first, second, rows - both - first - second})
    if (group > 0 && group < least) return true;
  return false;
}

}  // namespace

SmallPairs::SmallPairs(const RowsView& x, Index least) {
  if (least <= 1 || x.rows == 0) return;
  std::vector<RowBits> bits;
  for (Index j = 0; j < x.columns; ++j) bits.push_back(rows_of_larger(x, j));
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (bits[i].count == 0 || bits[j].count == 0 || !small_pair(bits[i], bits[j], x.rows, least)) continue;
      partners_.resize(bits.size());
      partners_[i].push_back(j);
      partners_[j].push_back(i);
    }
}

void SmallPairs::hide(std::span<double> half) const {
  if (empty() || half.empty()) return;
  const auto d = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(half.size()) + 1) - 1) / 2 + 0.5);
  const std::size_t columns = partners_.size(), end = d / columns * columns;
  const auto entry = [&](std::size_t row, std::size_t column) -> double& {
    const std::size_t low = std::min(row, column), high = std::max(row, column);
    return half[low * d - low * (low + 1) / 2 + high];
  };
  for (std::size_t j = 0; j < columns; ++j)
    for (const std::size_t i : partners_[j])
      for (std::size_t k = j; k < end; k += columns)
        for (std::size_t l = i; l < end; l += columns) entry(k, l) = 0;
}

}  // namespace pollen::model
