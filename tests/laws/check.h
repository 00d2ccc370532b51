// One sampler on one problem: it runs, its law is computed, and the two are held against each other.
//
//   Check check(points(), options, {"sampler.name=sgld", "sampler.batch=2"});   // step and temperature come from
//   options check.rejects("with replacement", pairs_with_replacement(problem.exact), wrong);
#pragma once

#include <string>
#include <vector>

#include "moments.h"
#include "pollen/config.h"
#include "problems.h"

namespace pollen::laws {

using stats::GradientLawOptions;
using stats::Law;
using stats::QuadraticProblem;
using Oracle = GradientLawOptions::Oracle;
using Coding = GradientLawOptions::Compressor;
using Attend = GradientLawOptions::Participation;

inline constexpr double kAgree = 4;  // standard errors, every entry of mean and covariance
inline constexpr double kTellApart = 10;

// Runs `overrides` on the problem (chains × iterations after a burn-in); moments of each phase of a cycle of `phases`.
struct Sampled {
  std::vector<Estimate> phases;  // [p]: of the states after rounds k ≡ p mod phases
  Estimate kept;                 // of the draws the run kept
  std::vector<double> squares;  // of those draws, chain by chain: the average of ‖θ - θ*‖², θ* the posterior mean
};
Sampled sample_moments(const Problem& problem, double step, double temperature, const Overrides& overrides,
                       int iterations, int phases = 1);

class Check {
 public:
  // Expects the run to agree with the law of `exact` under `options`, and that law to be visibly not the target.
  Check(const Problem& problem, const QuadraticProblem& exact, const GradientLawOptions& options,
        const Overrides& overrides, int iterations = kIterations);
  Check(const Problem& problem, const GradientLawOptions& options, const Overrides& overrides,
        int iterations = kIterations)
      : Check(problem, problem.exact, options, overrides, iterations) {}
  // The law is given, one a phase.
  Check(const Problem& problem, const std::vector<Law>& laws, const GradientLawOptions& options,
        const Overrides& overrides, int iterations = kIterations);

  // Expects the run to be far from the law of a wrong sampler, in at least one phase.
  void rejects(const char* what, const QuadraticProblem& wrong, const GradientLawOptions& options) const;
  void rejects(const char* what, const std::vector<Law>& wrong) const;

  const Sampled& run() const { return run_; }

  static constexpr int kIterations = 12000;

 private:
  void agrees(const std::vector<Law>& laws, const Law& target) const;

  Sampled run_;
};

}  // namespace pollen::laws
