// Forecasts of configurations, and the exact laws of the same problems to hold them against.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "laws/problems.h"
#include "run/experiment.h"

namespace pollen::forecasts {

inline SamplingForecast forecast_of(const laws::Problem& problem, Overrides overrides, double step) {
  overrides.push_back("sampler.step=" + std::to_string(step));
  Experiment experiment(read_config_text(problem.text, "t.toml", overrides));
  std::string why;
  const auto forecast = experiment.plan_forecast(false, why);
  EXPECT_TRUE(forecast) << why;
  return forecast.value_or(SamplingForecast());
}

// The smallest and the largest ratio of sds in a law, averaged over its phases.
inline std::pair<double, double> ratios(const std::vector<stats::Law>& laws, const stats::Law& target) {
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(target.mean.size());
  for (const stats::Law& law : laws) mean += law.covariance.diagonal() / static_cast<double>(laws.size());
  const Eigen::VectorXd ratio = mean.cwiseQuotient(target.covariance.diagonal()).cwiseSqrt();
  return {ratio.minCoeff(), ratio.maxCoeff()};
}

// First-order forecasts may be off by a fifth of the effect that they foretell.
inline void expect_near(const SamplingForecast& forecast, const std::pair<double, double>& exact, const char* name) {
  EXPECT_GT(exact.second, 1.004) << name << ": the step is too small to show anything";
  EXPECT_NEAR(forecast.least_ratio, exact.first, 0.2 * (exact.second - 1)) << name;
  EXPECT_NEAR(forecast.most_ratio, exact.second, 0.2 * (exact.second - 1)) << name;
  EXPECT_FALSE(forecast.exact) << name;
}

inline void expect_law(const laws::Problem& problem, stats::GradientLawOptions options, Overrides overrides,
                       const char* name) {
  options.step = 0.006;
  options.anchor = problem.exact.target().mean;
  const SamplingForecast forecast = forecast_of(problem, std::move(overrides), options.step);
  expect_near(forecast, ratios(stats::gradient_family_law(problem.exact, options), problem.exact.target()), name);
}

}  // namespace pollen::forecasts
