// Pairs of columns of zeros and ones that too few rows have in common (data.min_cell). A value; reading is thread-safe.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "pollen/types.h"

namespace pollen::model {

// The pairs of columns of two values each of which one of the four groups of rows that they make has rows, but fewer
// than `least`. Coordinates run over the columns of x, once or once per class; further ones belong to no column.
class SmallPairs {
 public:
  SmallPairs() = default;
  SmallPairs(const RowsView& x, Index least);

  bool empty() const { return partners_.empty(); }
  // Sets to 0 every entry of the lower half of a Hessian, column by column, that belongs to such a pair.
  void hide(std::span<double> half) const;
  // Takes from the product of a Hessian with `v` what such entries add to it. `multiply` writes the product of the
  // Hessian with a vector; `part` and `product` are memory for as many numbers.
  template <class Multiply>
  void take_from_product(std::span<const double> v, std::span<double> out, std::span<double> part,
                         std::span<double> product, const Multiply& multiply) const;

 private:
  std::vector<std::vector<std::size_t>> partners_;  // of each column; empty if no column has any
};

template <class Multiply>
void SmallPairs::take_from_product(std::span<const double> v, std::span<double> out, std::span<double> part,
                                   std::span<double> product, const Multiply& multiply) const {
  const std::size_t columns = partners_.size(), end = empty() ? 0 : v.size() / columns * columns;
  for (std::size_t j = 0; j < columns; ++j) {
    if (partners_[j].empty()) continue;
    bool any = false;
    std::ranges::fill(part, 0.0);
    for (std::size_t k = j; k < end; k += columns) any = (part[k] = v[k]) != 0 || any;
    if (!any) continue;
    multiply(part, product);
    for (const std::size_t i : partners_[j])
      for (std::size_t k = i; k < end; k += columns) out[k] -= product[k];
  }
}

}  // namespace pollen::model
