#include "step_search.h"

#include <algorithm>

#include "math/math.h"
#include "pollen/errors.h"

namespace pollen::exact {

StepSearch::StepSearch(Index dimension) : position_(static_cast<std::size_t>(dimension)), momentum_(position_.size()) {}

void StepSearch::begin(const Departure& departure, const Stream& stream) {
  departure_ = departure;
  stream_ = stream;
  first_ = true;
  try_step();
}

// Makes the first half of a leapfrog step, up to the position at which the gradient is needed.
void StepSearch::try_step() {
  const auto& [from, mass, step] = departure_;
  ++stream_.step;
  draw_momentum(stream_, mass, momentum_);
  before_ = from.potential + kinetic(momentum_, mass);
  std::ranges::copy(from.position, position_.begin());
  math::axpy(-0.5 * step, from.gradient, momentum_);
  drift(step, mass, momentum_, position_);
}

bool StepSearch::hear(double potential, std::span<const double> gradient) {
  double& step = departure_.step;
  math::axpy(-0.5 * step, gradient, momentum_);
  const bool accepts = before_ - energy_of(potential, momentum_, departure_.inverse_mass) > math::log(0.8);
  if (first_) grow_ = accepts;
  if (!first_ && accepts != grow_) return true;
  first_ = false;
  step *= grow_ ? 2 : 0.5;
  if (step > 1e7 || step < 1e-300)
    throw NumericError(
        "no leapfrog step from 1e-300 to 1e7 suits the start; is the posterior proper, and finite there?",
        static_cast<std::int64_t>(stream_.round), -1);
  try_step();
  return false;
}

}  // namespace pollen::exact
