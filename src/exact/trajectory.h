// A trajectory of Hamiltonian dynamics for H(q, p) = U(q)/T + ½ pᵀM⁻¹p with a diagonal mass M, as a state machine: it
// asks for the potential at one position after another, one leapfrog step each, and then has its outcome. nuts.cc and
// hmc.cc implement it. Not thread-safe.
#pragma once

#include <memory>
#include <span>

#include "exact/exact.h"
#include "pollen/random.h"

namespace pollen::exact {

inline constexpr double kDivergence = 1000;  // A trajectory whose energy error exceeds this number has diverged.
// A chain whose coordinates exceed this bound, times those of its start if they are above 1, has left the bulk of the
// posterior for good.
inline constexpr double kExplosion = 1e10;
// After the burn-in an energy that falls by more than this is taken for an answer that is wrong. The leapfrog keeps
// volumes, so that E exp(H_0 - H) = 1 for a start from the posterior, and a fall by f has a probability below exp(-f).
inline constexpr double kAbsurdFall = 1e6;
class AbsurdFall : public NumericError {
  using NumericError::NumericError;
};

// A position, and the potential U/T and its gradient there.
struct Place {
  std::span<const double> position, gradient;
  double potential = 0;
};

// Where a trajectory starts and how it moves. What the spans refer to must not change while the trajectory runs.
struct Departure {
  Place from;
  std::span<const double> inverse_mass;
  double step = 0;  // ε
};

class Trajectory {
 public:
  struct Streams {
    Stream momentum, trajectory, metropolis;
  };
  virtual ~Trajectory() = default;
  virtual void begin(const Departure& departure, const Streams& streams) = 0;
  virtual std::span<const double> asks() const = 0;
  // Goes on with the potential at asks() and its gradient. Returns whether the transition is complete.
  virtual bool hear(double potential, std::span<const double> gradient) = 0;
  // The outcome of the complete transition.
  virtual Place place() const = 0;
  virtual const Transition& result() const = 0;
  // By how much the energy fell below that of the start, at most, among the states that could be taken.
  virtual double fall() const = 0;
};

std::unique_ptr<Trajectory> make_nuts(const Setup& setup);
std::unique_ptr<Trajectory> make_hmc(const Setup& setup, double temperature);  // mala, too
std::unique_ptr<Trajectory> make_trajectory(const Setup& setup, double temperature);

// Draws a momentum p = M^½ z with z standard normal.
void draw_momentum(const Stream& stream, std::span<const double> inverse_mass, std::span<double> momentum);
double kinetic(std::span<const double> momentum, std::span<const double> inverse_mass);
// The energy of a state; infinite if it is no number, so that the state has probability 0.
double energy_of(double potential, std::span<const double> momentum, std::span<const double> inverse_mass);
// Moves the position: q += ε M⁻¹ p.
void drift(double step, std::span<const double> inverse_mass, std::span<const double> momentum,
           std::span<double> position);

}  // namespace pollen::exact
