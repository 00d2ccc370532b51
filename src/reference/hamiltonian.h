// Parts shared by hmc and nuts for the Hamiltonian H(q, p) = U(q)/T + ½ pᵀM⁻¹p with a diagonal mass M: momenta, the
// state kept between iterations, and a first guess of the step. Objects are not thread-safe.
#pragma once

#include "adaptation.h"
#include "kernel.h"
#include "target.h"

namespace pollen::reference {

inline constexpr double kDivergence = 1000;  // A trajectory whose energy error exceeds this number has diverged.

// Draws a momentum p = M^½ z with z standard normal.
void draw_momentum(const Stream& stream, std::span<const double> inverse_mass, std::span<double> momentum);
double kinetic(std::span<const double> momentum, std::span<const double> inverse_mass);
// Moves the position: q += ε M⁻¹ p.
void drift(double step, std::span<const double> inverse_mass, std::span<const double> momentum,
           std::span<double> position);

// A kernel of Hamiltonian trajectories. It keeps what the chains need between iterations: potentials and gradients at
// their positions, the adaptation, and the statistics of their last transition.
class HamiltonianKernel : public Kernel {
 public:
  // Without settings.target_accept the acceptance rate aimed at is `default_accept`.
  HamiltonianKernel(const Chains& chains, const ReferenceSettings& settings, Target target, double default_accept);

  void start(Chains& chains) override;
  bool emits(std::int64_t iteration) const override { return iteration > silent_; }
  std::span<const Transition> transitions() const override { return transitions_; }
  void archive(Archive& archive) override;

 protected:
  // Feeds the transitions to the adaptation. Call it after every chain has moved.
  void learn(Chains& chains);

  Target target_;
  Adaptation adaptation_;
  std::vector<double> value_;
  Panel gradient_;
  std::vector<Transition> transitions_;

 private:
  void find_steps(Chains& chains);
  // Finds a step at which one leapfrog step is accepted with probability about 0.8, by doubling or halving.
  double find_step(Chains& chains, Index chain, std::uint32_t use);
  double log_accept(Chains& chains, Index chain, double step, const Stream& stream);

  double fixed_step_;    // 0 if the step is learned
  std::int64_t silent_;  // number of iterations before the first state is emitted
  std::vector<double> accept_;
};

}  // namespace pollen::reference
