// Estimates the smoothness constant L of U = U_0 + Σ U_i by power iteration over the clients, and picks the step for
// step = "auto" from it (docs/models.md, "Curvature and step = auto").
#pragma once

#include <vector>

#include "pollen/model.h"
#include "pollen/recipe.h"
#include "pollen/transport.h"

namespace pollen {

struct Smoothness {
  double value = 0;   // λ_max of the clients' curvature bounds, plus the prior's largest precision
  int exchanges = 0;  // in each one a direction goes down and a product comes up
};

// Models without a global curvature bound are evaluated at the position `at`.
Smoothness find_smoothness(Transport& transport, const Prior& prior, std::span<const double> at, std::uint64_t seed);

// A stable step with small bias: 0.1/L, and less if compression, minibatches or absent clients add noise or delay. If
// clients have compressors of their own, the one that adds the most counts.
double auto_step(const Recipe& recipe, double smoothness, Index clients, Index dimension, std::span<const Index> sizes);

}  // namespace pollen
