// What nuts, hmc or mala will take, by a rehearsal: the kernel runs at the server on the normal approximation of the
// posterior at its mode, which asks no client anything (docs/plan.md).
#pragma once

#include <Eigen/Core>

#include "exact/exact.h"
#include "run/sampling_forecast.h"

namespace pollen {

// The normal law with precision `hessian`/`temperature` in the coordinates in which the kernel runs, and the linear map
// from these to the parameters whose draws count.
struct NormalApproximation {
  Eigen::MatrixXd hessian, to_parameters;
  double temperature = 1;
};

// Rehearses with several lengths of the burn-in and returns what the best one takes to `draws` effective draws of the
// slowest parameter, all chains together. Throws std::domain_error if the law is flat in some direction.
ExactForecast rehearse(const NormalApproximation& law, exact::Setup setup, double draws);

}  // namespace pollen
