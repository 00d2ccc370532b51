// A client's Markov chain for p(z | D_i, φ, β) at fixed φ and β.
#pragma once

#include "personal/personal.h"

namespace pollen {

// What a chain's transitions are made of.
struct LocalTarget {
  const PersonalPotential& client;
  const Population& population;
  std::span<const double> shared, beta;
};

// Random numbers of a round: step m's normals are m·d' .. of `noise`, d' = d rounded up to even; its coin is uniform m.
struct LocalStreams {
  Stream noise, coins;
};

// A position with V = U_i + (-log p(z | β)), its gradient by z, and ∇_φ U_i. Memory is the caller's.
struct LocalState {
  std::span<double> z, gradient, by_shared;
  double value = 0;
};

class LocalChain {
 public:
  // Memory comes from `scratch`, whose frame outlives this.
  LocalChain(const PersonalSettings& settings, const LocalTarget& target, const LocalStreams& streams,
             Scratch& scratch);

  void start(std::span<const double> z);
  void step(Index m);
  const LocalState& state() const { return state_; }  // after a step, with by_shared
  Index accepted() const { return accepted_; }

 private:
  LocalState make_state() const;
  void evaluate(LocalState& state, bool by_shared) const;
  void langevin(Index m);
  void mala(Index m);
  void hmc(Index m);
  void decide(double log_ratio, Index m);  // proposal_ becomes state_, or not
  std::span<const double> normals_of(Index m);

  const PersonalSettings& settings_;
  double step_;
  LocalTarget target_;
  LocalStreams streams_;
  Scratch& scratch_;
  LocalState state_, proposal_;
  std::span<double> noise_;
  Index accepted_ = 0;
};

}  // namespace pollen
