// Eigenvalues for those who have no other use for Eigen (math/linear_algebra.h). Pure.
#pragma once

#include <vector>

#include "pollen/types.h"

namespace pollen::math {

// The eigenvalues of a symmetric matrix, of which the lower triangle is read, from the smallest to the largest.
std::vector<double> symmetric_eigenvalues(ConstPanelView matrix);

}  // namespace pollen::math
