// The pooled potential U(θ) = U_0(θ) + Σ_i U_i(θ) and its gradient, written from the formulas with plain loops. It uses
// none of pollen's models, only the rows that its loader made.
#pragma once

#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"

namespace pollen::reference {

using Vector = std::vector<double>;

struct Pooled {
  std::string kind = "logistic";
  std::size_t features = 0, classes = 1;
  double noise_sd = 0;    // linear: 0 means that the last coordinate is log σ
  std::vector<Vector> x;  // the training rows of all clients
  Vector y;
  Vector prior_precision;  // one per coordinate

  std::size_t dimension() const { return prior_precision.size(); }
  double value_and_gradient(const Vector& theta, Vector& gradient) const;
};

// Makes the problem of a configuration. `kind` and the priors are the configuration's, the rows are the federation's.
Pooled pooled(const Config& config, const Federation& data);

}  // namespace pollen::reference
