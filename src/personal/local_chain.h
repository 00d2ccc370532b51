// A client's Markov chain for p(z | D_i, φ, β) at fixed φ and β: Langevin steps, MALA or HMC (docs/algorithms.md
// section 7). One thread per chain.
//
// If no step is given and the model knows its second derivatives, the chain moves in coordinates u with z = A u, where
// A Aᵀ is the inverse of -∇² log p at the mode, so that one step fits every direction. Langevin steps then have noise
// √(γ(2-γ)) ξ in place of √(2γ) ξ: for a normal p this is the exact transition of the Langevin diffusion, without the
// bias of a step of this size.
#pragma once

#include <optional>

#include "model/coordinates.h"
#include "personal/personal.h"

namespace pollen {

// The distribution that a chain samples, p(z | D_i, φ, β); `shared` is φ.
struct LocalTarget {
  const PersonalPotential& client;
  const Population& population;
  std::span<const double> shared, beta;
};

// The random numbers of a round. Step m uses the normals of `noise` from number m·d' on, where d' is d rounded up to an
// even number; its coin is uniform number m of `coins`.
struct LocalStreams {
  Stream noise, coins;
};

// A position z with V = U_i - log p(z | β), the gradient of V by z, and ∇_φ U_i (by_shared). The caller owns the
// memory.
struct LocalState {
  std::span<double> z, gradient, by_shared;
  double value = 0;
};

// Hamiltonian Monte Carlo whose trajectories take a quarter of a normal target's period, so that successive draws are
// nearly independent.
inline constexpr PersonalSettings kQuarterPeriods = {.kernel = LocalKernel::hmc, .leapfrogs = 3};

class LocalChain {
 public:
  // Memory comes from the current frame of `scratch`, which must outlive this object.
  LocalChain(const PersonalSettings& settings, const LocalTarget& target, const LocalStreams& streams,
             Scratch& scratch);

  void start(std::span<const double> z);
  void step(Index m);
  std::span<const double> position();                 // z; valid until the next call
  const LocalState& state() const { return state_; }  // in the chain's coordinates; by_shared is valid after a step
  Index accepted() const { return accepted_; }

 private:
  LocalState make_state() const;
  void choose_step();
  void evaluate(LocalState& state, bool by_shared) const;
  void langevin(Index m);
  void mala(Index m);
  void hmc(Index m);
  void decide(double log_ratio, Index m);  // accepts or rejects proposal_
  std::span<const double> normals_of(Index m);

  const PersonalSettings& settings_;
  double step_;
  LocalTarget target_;
  LocalStreams streams_;
  Scratch& scratch_;
  LocalState state_, proposal_;
  std::span<double> noise_;
  std::optional<Coordinates> whitening_;  // A, if the chain moves in u
  std::span<double> z_, by_z_;            // with A: memory for a position and a gradient by z
  Index accepted_ = 0;
};

}  // namespace pollen
