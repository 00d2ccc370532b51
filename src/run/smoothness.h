// The smoothness constant L of U = U_0 + Σ U_i by power iteration over the clients, and the step that "auto" picks from
// it.
#pragma once

#include <vector>

#include "pollen/model.h"
#include "pollen/recipe.h"
#include "pollen/transport.h"

namespace pollen {

struct Smoothness {
  double value = 0;   // λ_max of the clients' curvature bounds, plus the prior's largest precision
  int exchanges = 0;  // each: a direction down, a product up
};

// `at`: where models without a global bound are evaluated.
Smoothness find_smoothness(Transport& transport, const Prior& prior, std::span<const double> at, std::uint64_t seed);

// A stable step with small bias: a tenth of 1/L, less where compression, minibatches or absence add noise or delay.
double auto_step(const Recipe& recipe, double smoothness, Index clients, Index dimension, std::span<const Index> sizes);

}  // namespace pollen
