// Rows that a change of variables has multiplied (with_multiplied_rows() of model/coordinates.h).
#pragma once

#include <memory>

#include "model/coordinates.h"
#include "row_potential.h"

namespace pollen::model {

// `plain` is `rows` as a function of ψ, for what is asked seldom. All three must outlive the result. Null if the rows
// must stay as they are.
std::unique_ptr<const Potential> multiply_rows(const Potential& plain, const RowPotential& rows,
                                               const std::shared_ptr<const Coordinates>& coordinates);

}  // namespace pollen::model
