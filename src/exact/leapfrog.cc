#include <cmath>
#include <limits>

#include "trajectory.h"

namespace pollen::exact {

std::unique_ptr<Trajectory> make_trajectory(const Setup& setup, double temperature) {
  return setup.kernel == "nuts" ? make_nuts(setup) : make_hmc(setup, temperature);
}

void draw_momentum(const Stream& stream, std::span<const double> inverse_mass, std::span<double> momentum) {
  normals(stream, momentum);
  for (std::size_t j = 0; j < momentum.size(); ++j) momentum[j] /= std::sqrt(inverse_mass[j]);
}

double kinetic(std::span<const double> momentum, std::span<const double> inverse_mass) {
  double sum = 0;
  for (std::size_t j = 0; j < momentum.size(); ++j) sum += inverse_mass[j] * (momentum[j] * momentum[j]);
  return 0.5 * sum;
}

double energy_of(double potential, std::span<const double> momentum, std::span<const double> inverse_mass) {
  const double energy = potential + kinetic(momentum, inverse_mass);
  return std::isfinite(energy) ? energy : std::numeric_limits<double>::infinity();
}

void drift(double step, std::span<const double> inverse_mass, std::span<const double> momentum,
           std::span<double> position) {
  for (std::size_t j = 0; j < position.size(); ++j) position[j] += step * (inverse_mass[j] * momentum[j]);
}

}  // namespace pollen::exact
