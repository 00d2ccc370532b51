// Runs one sampler on one problem, computes its exact law and compares the two. Step and temperature come from the
// options.
//
//   Check check(points(), options, {"sampler.name=sgld", "sampler.batch=2"});
//   check.rejects("with replacement", pairs_with_replacement(problem.exact), wrong);
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

inline constexpr double kAgree = 4;  // in standard errors, for every entry of mean and covariance
inline constexpr double kTellApart = 10;

// Runs `overrides` on the problem (chains × iterations after a burn-in) and keeps moments of each phase of a cycle.
struct Sampled {
  std::vector<Estimate> phases;  // [p]: moments of the states after rounds k ≡ p mod phases
  Estimate kept;                 // moments of the draws that the run kept
  // Per chain, the average of ‖θ - θ*‖² over these draws, where θ* is the posterior mean.
  std::vector<double> squares;
};
Sampled sample_moments(const Problem& problem, double step, double temperature, const Overrides& overrides,
                       int iterations, int phases = 1);

class Check {
 public:
  // Expects the run to agree with the law of `exact` under `options`, and this law to differ visibly from the target.
  Check(const Problem& problem, const QuadraticProblem& exact, const GradientLawOptions& options,
        const Overrides& overrides, int iterations = kIterations);
  Check(const Problem& problem, const GradientLawOptions& options, const Overrides& overrides,
        int iterations = kIterations)
      : Check(problem, problem.exact, options, overrides, iterations) {}
  // Takes given laws, one per phase.
  Check(const Problem& problem, const std::vector<Law>& laws, const GradientLawOptions& options,
        const Overrides& overrides, int iterations = kIterations);

  // Expects the run to be far from the law of a wrong sampler in at least one phase.
  void rejects(const char* what, const QuadraticProblem& wrong, const GradientLawOptions& options) const;
  void rejects(const char* what, const std::vector<Law>& wrong) const;

  const Sampled& run() const { return run_; }

  static constexpr int kIterations = 12000;

 private:
  void agrees(const std::vector<Law>& laws, const Law& target) const;

  Sampled run_;
};

}  // namespace pollen::laws
