// Compares a sampler of the averaging family on one problem with its exact law at communication rounds. The chains of
// one run share the coins of p_c and q_c, so with these only runs of different seeds are independent, and errors come
// from the variation between runs.
#pragma once

#include <string>
#include <vector>

#include "check.h"

namespace pollen::laws {

using stats::AveragingLawOptions;

struct Effort {
  int seeds = 1;
  int chains = 128;
  int iterations = 12000;  // per chain, after the burn-in
};
inline constexpr Effort kFixedGaps{1, 128, 12000};
inline constexpr Effort kCoins{48, 8, 6000};

// Returns the configuration that `options` describe.
Overrides keys_of(const AveragingLawOptions& options);

// Returns moments of the kept draws: [p] has those of draws p, p + phases, ... after the burn-in.
std::vector<Estimate> sample_averages(const Problem& problem, const AveragingLawOptions& options, const Overrides& more,
                                      Effort effort, int phases = 1);

class AveragingCheck {
 public:
  // Expects the run to agree with the law at communication rounds, and this law to differ visibly from the target.
  AveragingCheck(const Problem& problem, const AveragingLawOptions& options, const Overrides& more = {});
  AveragingCheck(const Problem& problem, const AveragingLawOptions& options, const Overrides& more, Effort effort);

  void rejects(const char* what, const AveragingLawOptions& wrong) const;
  void rejects(const char* what, const QuadraticProblem& wrong_problem, const AveragingLawOptions& wrong) const;
  const Estimate& run() const { return run_; }
  const Law& law() const { return law_; }

 private:
  const QuadraticProblem exact_;
  Law law_;
  Estimate run_;
};

// Returns how far apart two laws are in the entry where they differ most, in the run's standard errors.
double between(const Estimate& run, const Law& a, const Law& b);

}  // namespace pollen::laws
