// What a run's draws will be worth, by the Gaussian approximation of the posterior at its mode (docs/plan.md).
#pragma once

#include <string>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen {

struct SamplingForecast {
  double step = 0;                         // the step it is about
  double least_ratio = 1, most_ratio = 1;  // sd of the draws over sd of the posterior, over all parameters
  std::string widest = {};                 // the parameter whose ratio is farthest from 1
  double bias = 0;                         // the largest |mean of the draws - mean of the posterior| in posterior sds
  std::string most_biased = {};            // the parameter that has it
  double tau = 0;                          // iterations per effective draw of one chain, of the slowest parameter
  bool exact = false;                      // by the exact law; otherwise to first order in the step
  bool ok = false;                         // whether all ratios and biases are within the tolerances
  std::string cause = {};                  // what makes the largest error
  double step_within = 0;                  // the largest step that keeps the tolerances; 0 if none does

  // The ratio that is farther from 1.
  double worst_ratio() const { return most_ratio - 1 >= 1 - least_ratio ? most_ratio : least_ratio; }
  void archive(Archive& archive) {
    archive.fields(step, least_ratio, most_ratio, widest, bias, most_biased, tau, exact, ok, cause, step_within);
  }
};

// What nuts, hmc or mala will take to a number of effective draws of the slowest parameter, all chains together.
struct ExactForecast {
  Index burn_in = 0;      // transitions
  double iterations = 0;  // transitions of every chain, burn-in included
  double rounds = 0;      // exchanges in which at least one chain asks
  double columns = 0;     // chains that ask, on average over the exchanges
};

}  // namespace pollen
