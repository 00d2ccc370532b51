// Hamiltonian Monte Carlo (Duane et al. 1987) with trajectories of a fixed length up to jitter. MALA is the case of one
// leapfrog step: with ε² = 2γT the proposal q - ½ε²∇U/T + εz equals θ - γ∇U + √(2γT)z, and exp(-ΔH) is the
// Metropolis-Hastings ratio.
#include <algorithm>
#include <cmath>
#include <vector>

#include "math/math.h"
#include "trajectory.h"

namespace pollen::exact {

namespace {

struct Path {
  bool mala = false;
  Index leapfrogs = 0;  // 0 means length / ε
  double length = 0;
  double jitter = 0;
  Index most = 1;
};

class Hmc final : public Trajectory {
 public:
  Hmc(Index dimension, const Path& path, double temperature)
      : path_(path),
        temperature_(temperature),
        position_(static_cast<std::size_t>(dimension)),
        momentum_(position_.size()),
        gradient_(position_.size()) {}

  void begin(const Departure& departure, const Streams& streams) override {
    departure_ = departure;
    metropolis_ = streams.metropolis;
    steps_ = 0;
    count_ = choose_length(streams.trajectory);
    std::ranges::copy(departure.from.position, position_.begin());
    draw_momentum(streams.momentum, departure.inverse_mass, momentum_);
    before_ = departure.from.potential + kinetic(momentum_, departure.inverse_mass);
    math::axpy(-0.5 * departure.step, departure.from.gradient, momentum_);
    drift(departure.step, departure.inverse_mass, momentum_, position_);
  }

  std::span<const double> asks() const override { return position_; }

  bool hear(double potential, std::span<const double> gradient) override {
    const bool last = ++steps_ == count_;
    std::ranges::copy(gradient, gradient_.begin());
    math::axpy((last ? -0.5 : -1.0) * departure_.step, gradient_, momentum_);
    potential_ = potential;
    // From a position that is lost, no trajectory comes back.
    if (last || !math::all_finite(position_) || !math::all_finite(momentum_)) return finish();
    drift(departure_.step, departure_.inverse_mass, momentum_, position_);
    return false;
  }

  Place place() const override { return accepted_ ? Place{position_, gradient_, potential_} : departure_.from; }
  const Transition& result() const override { return result_; }
  double fall() const override { return fall_; }

 private:
  Index choose_length(const Stream& stream) const {
    double wanted = path_.leapfrogs > 0 ? static_cast<double>(path_.leapfrogs) : path_.length / departure_.step;
    if (path_.jitter > 0) {
      double u = 0;
      uniforms(stream, {&u, 1});
      wanted *= 1 + path_.jitter * (2 * u - 1);
    }
    return static_cast<Index>(std::clamp(std::floor(wanted + 0.5), 1.0, static_cast<double>(path_.most)));
  }

  // Accepts or rejects where the trajectory has ended. An end without a finite energy is rejected.
  bool finish() {
    const double energy = energy_of(potential_, momentum_, departure_.inverse_mass), loss = energy - before_;
    fall_ = -loss;
    const double accept = loss <= 0 ? 1 : math::exp(-loss);
    double u = 0;
    uniforms(metropolis_, {&u, 1});
    accepted_ = u < accept;
    const double step = departure_.step;
    result_ = {accept,
               path_.mala ? step * step / (2 * temperature_) : step,
               0,
               static_cast<int>(steps_),
               !(loss <= kDivergence),
               accepted_ ? energy : before_};
    return true;
  }

  Path path_;
  double temperature_;
  Departure departure_;
  Stream metropolis_;
  Index steps_ = 0, count_ = 1;  // leapfrog steps done, and those of the whole trajectory
  double before_ = 0;            // the energy at the start
  std::vector<double> position_, momentum_, gradient_;
  double potential_ = 0, fall_ = 0;
  bool accepted_ = false;
  Transition result_;
};

}  // namespace

std::unique_ptr<Trajectory> make_hmc(const Setup& setup, double temperature) {
  const Settings& s = setup.settings;
  const Path path = setup.kernel == "mala" ? Path{.mala = true, .leapfrogs = 1}
                                           : Path{false, s.leapfrogs, s.trajectory, s.jitter, s.most_leapfrogs};
  return std::make_unique<Hmc>(setup.dimension, path, temperature);
}

}  // namespace pollen::exact
