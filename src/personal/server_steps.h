// How far the server goes along what clients send, coordinate by coordinate.
#pragma once

#include <span>
#include <vector>

#include "personal/personal.h"

namespace pollen {

// η2 and η1 where they are given. Else a tenth of the inverse of: for φ the largest curvature at a typical latent,
// found at φ = 0 and changing as the first client's bound does; for log σ its own 2N; for β the information of b known
// latents.
class ServerSteps {
 public:
  ServerSteps(const PersonalProblem& problem, const PersonalSettings& settings);
  // out = the step of every coordinate of (φ, β), before any decay.
  void at(std::span<const double> shared, std::span<const double> beta, std::span<double> out) const;

 private:
  double largest_curvature();

  PersonalClients clients_;
  std::shared_ptr<const PersonalPotential> first_;
  const Population* population_;
  double shared_step_, population_step_;
  std::vector<double> typical_;
  double first_curvature_ = 0, curvature_ = 0, rows_ = 0;
};

}  // namespace pollen
