// The search for a step whose forecast keeps the tolerances.
#include <algorithm>
#include <cmath>

#include "plan/forecast.h"

namespace pollen::plan {

namespace {

// max_j [bias_j² + (ratio_j - 1)² + 1/ESS_j], the worst squared error of a posterior mean or sd in posterior sds.
double worst_error(const Forecast& f, const StepWanted& wanted) {
  const Eigen::ArrayXd error =
      f.bias.array().square() + (f.ratio.array() - 1).square() + f.tau.array() / (wanted.chains * wanted.iterations);
  return error.maxCoeff();
}

// The largest step in [least, most] that keeps the tolerances, by bisection of the logarithm; 0 if `least` does not.
double largest_within(const Forecaster& forecaster, double least, double most, const Tolerance& tolerance) {
  if (within(forecaster.without_causes(most), tolerance)) return most;
  if (!within(forecaster.without_causes(least), tolerance)) return 0;
  while (most > 1.01 * least) {
    const double middle = std::sqrt(least * most);
    (within(forecaster.without_causes(middle), tolerance) ? least : most) = middle;
  }
  return least;
}

// The step in [least, most] with the least worst error: a grid of factors of two, and then a finer one.
double best_compromise(const Forecaster& forecaster, double least, double most, const StepWanted& wanted) {
  double best = most, error = worst_error(forecaster.without_causes(most), wanted);
  const auto scan = [&](double from, double factor, double until) {
    for (double step = from; step >= until; step /= factor) {
      const double here = worst_error(forecaster.without_causes(step), wanted);
      if (here < error) error = here, best = step;
    }
  };
  scan(most, 2, least);
  scan(std::min(most, 2 * best), 1.1, best / 2);
  return best;
}

}  // namespace

StepChoice choose_step(const Forecaster& forecaster, const StepWanted& wanted) {
  // Half of the bound leaves room for curvature that is larger away from the mode.
  double most = 0.5 * forecaster.stable();
  if (wanted.most > 0) most = std::min(most, wanted.most);
  const double least = 1e-7 * most;
  StepChoice choice;
  choice.within = largest_within(forecaster, least, most, wanted.tolerance);
  if (choice.within > 0 && forecaster.at(choice.within).ess(wanted.iterations, wanted.chains) >= wanted.tolerance.ess) {
    choice.step = choice.within;
    choice.good = true;
    return choice;
  }
  choice.step = best_compromise(forecaster, least, most, wanted);
  choice.why = forecaster.at(choice.step).worst();
  return choice;
}

}  // namespace pollen::plan
