// Finds the mode θ* without moving rows: L-BFGS on the sum of the clients' full gradients and the prior's, by queries
// to all clients (docs/algorithms.md section 1).
#pragma once

#include <vector>

#include "model/coordinates.h"
#include "pollen/model.h"
#include "pollen/transport.h"

namespace pollen {

struct ModeResult {
  std::vector<double> position;
  double gradient_norm = 0;
  int exchanges = 0;     // in each one a position goes down, a value and a gradient come up
  bool reached = false;  // whether the tolerance was met
};

struct ModeProblem {
  Transport& transport;
  const Prior& prior;
  bool prior_on_server = true;  // if false, the clients' gradients contain the prior already
  Index dimension = 0;
  double tolerance = 1e-6;  // for the Euclidean norm of the gradient
  int most_exchanges = 2000;
  // The search goes on in these coordinates, and the tolerance holds for the gradient there; null: in θ.
  const Coordinates* coordinates = nullptr;
  bool hold_last = false;  // the last coordinate stays where it is; it must be apart in the coordinates
};

ModeResult find_mode(const ModeProblem& problem, std::vector<double> start);  // both positions are in θ

}  // namespace pollen
