// The steps with which the server of FedSOUL and FedSOUK moves if no numbers are given: the gradient of the log
// posterior times the inverse of the information that known latents would give. That is the step of the EM algorithm to
// first order, so one step fits all units and all correlations between coefficients.
//
//   φ:     Σ_i ∂²U_i/∂φ² at the clients' latents, which they send before the first round and after 1/4 and 1/2 of the
//          rounds before averaging, plus the prior's precision. For log σ it is 2N.
//   β:     b times the information of one known latent, coordinate by coordinate, plus the prior's precision
//
// Const calls are thread-safe.
#pragma once

#include <span>
#include <vector>

#include "model/coordinates.h"
#include "personal/personal.h"
#include "pollen/archive.h"

namespace pollen {

class InformationSteps {
 public:
  InformationSteps(const PersonalProblem& problem, const PersonalSettings& settings);
  // Whether these steps are possible: the model knows its second derivatives, and no step is given.
  static bool fit(const PersonalProblem& problem, const PersonalSettings& settings);
  static constexpr Index kMost = Coordinates::kMostFull;  // the most coordinates of φ

  bool needs(std::uint64_t round) const;
  void take(std::span<const double> at, ConstPanelView sum);
  // Turns the gradient of the log posterior at `position` into the step.
  void turn(std::span<const double> position, std::span<double> gradient, Scratch& scratch) const;
  void archive(Archive& archive);

 private:
  void turn_shared(std::span<const double> shared, std::span<double> gradient, Scratch& scratch) const;
  void turn_population(std::span<const double> beta, std::span<double> gradient, Scratch& scratch) const;

  const Population* population_;
  std::vector<double> shared_precision_, population_precision_;
  double clients_, rows_ = 0;
  std::uint64_t burn_in_;
  bool learns_noise_;
  Coordinates inverse_;   // A with A Aᵀ = the inverse of the information about the coefficients
  double log_noise_ = 0;  // log σ where that information was found
};

}  // namespace pollen
