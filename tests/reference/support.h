// Problems given twice, as potentials and as terms for the exact law, and runs of a sampler on them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "laws/moments.h"
#include "stats/exact_law.h"
#include "reference/reference.h"

namespace pollen::reference {

inline constexpr double kAgree = 4;  // in standard errors, for every entry of mean and covariance
inline constexpr double kTellApart = 8;

struct Federated {
  std::vector<std::shared_ptr<std::vector<double>>> memory;  // the rows that the potentials refer to
  std::vector<std::shared_ptr<const Potential>> potentials;
  Prior prior;
  Index dimension = 0;
  stats::QuadraticProblem exact;

  ReferenceProblem problem(Index chains, std::uint64_t seed = 7, double temperature = 1) const;
  stats::QuadraticProblem pooled() const;  // the same posterior with all terms on one client
  void add_rows(const ModelSpec& spec, const std::vector<std::vector<double>>& rows);  // a row is x..., y
};

// A Gaussian of given mean and precision (by columns) per client, with a flat prior.
Federated gaussians(const std::vector<std::vector<double>>& means, const std::vector<std::vector<double>>& precisions);
Federated matrices();    // d = 3, three clients given by mean and precision, far from each other
Federated regression();  // d = 2, linear with known noise sd: 4, 3 and 3 rows of different curvature
Federated logistic();    // d = 2, 12, 8 and 20 rows; no exact law

struct Sampled {
  std::vector<laws::Estimate> phases;
  Counters counters;
  const laws::Estimate& only() const { return phases.front(); }
};

// The length of a run. Moments are those of the emitted states after `burn_in` iterations, or, with phases > 1, of the
// states after iterations k ≡ p mod phases.
struct Length {
  std::int64_t burn_in = 0, iterations = 0;
  int phases = 1;
};
Sampled run(Engine& engine, const Federated& on, const Length& length);

Panel start_at(const ReferenceProblem& problem, double value = 0);
// Makes an engine whose chains start with all coordinates at `value`.
std::unique_ptr<Engine> started(const std::string& name, const ReferenceProblem& problem,
                                const ReferenceSettings& settings, double value = 0);
stats::Law target_of(const Federated& on, double temperature = 1);
void expect_law(const laws::Estimate& found, const stats::Law& law);

}  // namespace pollen::reference
