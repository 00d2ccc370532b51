// The step sizes η1 and η2 with which the server of FedSOUL and FedSOUK moves, coordinate by coordinate
// (docs/algorithms.md section 7). at() is thread-safe.
#pragma once

#include <span>
#include <vector>

#include "personal/personal.h"
#include "round/server_step.h"

namespace pollen {

// Uses the η1 and η2 of the settings if they are given. Otherwise a step is a tenth of the inverse of
//   - for φ: the largest curvature at a typical latent, found at φ = 0 and then scaled as the first client's bound
//     changes with φ;
//   - for log σ: its own curvature 2N;
//   - for β: the information of b known latents.
class ServerSteps {
 public:
  ServerSteps(const PersonalProblem& problem, const PersonalSettings& settings);
  // Sets `out` to the step of every coordinate of (φ, β), before any decay.
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
