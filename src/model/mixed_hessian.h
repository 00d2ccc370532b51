// Second derivatives of mixed-effects models by their coefficients. Thread-safe with one Scratch per thread.
#pragma once

#include <span>

#include "math/math.h"
#include "pollen/types.h"

namespace pollen::model {

// Columns of a table, whose coefficients are consecutive coordinates from `place` on.
struct CoefficientColumns {
  RowsView rows{};
  Index place = 0;
};

// Adds Σ_r w_r u_r u_rᵀ to `out`, where row u_r has the columns of both tables at their places and zeros elsewhere.
void add_weighted_squares(const CoefficientColumns& first, const CoefficientColumns& second,
                          std::span<const double> weights, PanelView out, Scratch& scratch);

}  // namespace pollen::model
