// The mode θ*, found federatedly: L-BFGS on the sum of the clients' full gradients and the prior, by queries to all
// clients.
#pragma once

#include <vector>

#include "pollen/model.h"
#include "pollen/transport.h"

namespace pollen {

struct ModeResult {
  std::vector<double> position;
  double gradient_norm = 0;
  int exchanges = 0;     // each: a position down, a value and a gradient up
  bool reached = false;  // the tolerance was met
};

struct ModeProblem {
  Transport& transport;
  const Prior& prior;
  bool prior_on_server = true;  // else the clients' gradients hold it already
  Index dimension = 0;
  double tolerance = 1e-6;  // on the gradient's Euclidean norm
  int most_exchanges = 2000;
};

ModeResult find_mode(const ModeProblem& problem, std::vector<double> start);

}  // namespace pollen
