// These types carry arguments from the public functions to the Highway kernels. Every target compiles the kernels anew,
// so the types must not depend on the target.
#pragma once

#include <cstdint>

#include "math/math.h"

namespace pollen::math {

// The rows that a product reads: all rows of a table, or a chosen subset.
struct AllRows {
  const double* data;
  Index stride;
  const double* operator()(Index r) const { return data + r * stride; }
};

struct ChosenRows {
  const double* data;
  Index stride;
  const std::uint32_t* chosen;
  const double* operator()(Index r) const { return data + static_cast<Index>(chosen[r]) * stride; }
};

// The columns that a product reads and the columns it writes.
struct Columns {
  const double* in;
  Index in_stride;
  double* out;
  Index out_stride;

  void advance(Index columns) {
    in += columns * in_stride;
    out += columns * out_stride;
  }
};

struct ProductSize {
  Index rows;
  Index features;
  Index columns;
};

}  // namespace pollen::math
