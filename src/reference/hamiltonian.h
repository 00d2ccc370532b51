// The pieces that hmc and nuts share: H(q, p) = U(q)/T + ½ pᵀM⁻¹p with a diagonal M, where its state is kept between
// iterations, and a first guess of the step.
#pragma once

#include "adaptation.h"
#include "kernel.h"
#include "target.h"

namespace pollen::reference {

inline constexpr double kDivergence = 1000;  // a loss of energy that no accurate trajectory has

// p = M^½ z.
void draw_momentum(const Stream& stream, std::span<const double> inverse_mass, std::span<double> momentum);
double kinetic(std::span<const double> momentum, std::span<const double> inverse_mass);
// q += ε M⁻¹ p
void drift(double step, std::span<const double> inverse_mass, std::span<const double> momentum,
           std::span<double> position);

// The chains' potentials and gradients at their positions, what they have learned, and what their last move was like.
class HamiltonianState {
 public:
  HamiltonianState(const Chains& chains, const ReferenceSettings& settings, Target target_, double target_accept);

  void start(Chains& chains, double fixed_step);
  // After every chain has moved: fills the adaptation with what `transitions` say.
  void learn(Chains& chains);
  bool emits(std::int64_t iteration) const { return iteration > silent_; }
  void archive(Archive& archive);

  Target target;
  Adaptation adaptation;
  std::vector<double> value;
  Panel gradient;
  std::vector<Transition> transitions;

 private:
  void find_steps(Chains& chains);
  // A step for which one leapfrog step is accepted about four times in five, by doubling or halving.
  double find_step(Chains& chains, Index chain, std::uint32_t use);
  double log_accept(Chains& chains, Index chain, double step, const Stream& stream);

  std::int64_t silent_;  // iterations before the first state to emit
  std::vector<double> accept_;
};

}  // namespace pollen::reference
