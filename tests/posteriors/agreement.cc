#include "agreement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pollen/stats.h"
#include "support/problems.h"

namespace pollen::reference {

Posterior summarise(const Chains& chains) {
  Posterior out;
  out.least_ess = 1e300;
  const auto count = static_cast<Index>(chains.chains);
  for (const Vector& values : chains.values) {
    const stats::ParameterSummary s = stats::summarize({values, count});
    Vector squares(values.size());
    std::transform(values.begin(), values.end(), squares.begin(),
                   [&](double v) { return (v - s.mean) * (v - s.mean); });
    out.parameters.push_back({s.mean, s.mcse, s.sd, stats::mcse_mean({squares, count}) / (2 * s.sd)});
    out.worst_rhat = std::max(out.worst_rhat, s.rhat);
    out.least_ess = std::min({out.least_ess, s.ess_bulk, s.ess_tail});
  }
  return out;
}

namespace {

// The reference chains know normal priors of standardised columns only, so everything is compared in these units.
Config in_internal_units(const std::string& text, Overrides overrides) {
  overrides.insert(overrides.begin(),
                   {"model.prior=normal", "model.prior_scale=standardized", "output.scale=standardized"});
  return read_config_text(text, "reference.toml", overrides);
}

}  // namespace

Posterior sampled(const std::string& text, const Overrides& overrides) {
  Experiment experiment(in_internal_units(text, overrides), {.threads = 1});
  experiment.prepare();
  testing::Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  const auto d = static_cast<std::size_t>(experiment.dimension());
  Chains chains{collect.draws.size(), std::vector<Vector>(d), 0};
  for (const Vector& chain : collect.draws)
    for (std::size_t k = 0; k < chain.size(); ++k) chains.values[k % d].push_back(chain[k]);
  return summarise(chains);
}

Posterior reference_for(const std::string& text, const Overrides& overrides, const MalaOptions& options) {
  const Experiment experiment(in_internal_units(text, overrides), {.threads = 1});
  const Chains chains = mala(pooled(experiment.config(), experiment.data()), options);
  Posterior out = summarise(chains);
  EXPECT_GT(chains.acceptance, 0.4);
  EXPECT_LT(chains.acceptance, 0.8);
  EXPECT_LT(out.worst_rhat, 1.01);
  EXPECT_GT(out.least_ess, 2000);
  return out;
}

double expect_agreement(const Posterior& sampler, const Posterior& reference, double errors) {
  EXPECT_LT(sampler.worst_rhat, 1.02);
  EXPECT_GT(sampler.least_ess, 400);
  double worst = 0;
  if (sampler.parameters.size() != reference.parameters.size()) {
    ADD_FAILURE() << sampler.parameters.size() << " parameters against " << reference.parameters.size();
    return worst;
  }
  for (std::size_t j = 0; j < reference.parameters.size(); ++j) {
    const Estimate &s = sampler.parameters[j], &r = reference.parameters[j];
    const double mean_z = (s.mean - r.mean) / std::hypot(s.mean_se, r.mean_se);
    const double sd_z = (s.sd - r.sd) / std::hypot(s.sd_se, r.sd_se);
    EXPECT_LT(std::abs(mean_z), errors) << "mean of parameter " << j + 1 << ": " << s.mean << " against " << r.mean;
    EXPECT_LT(std::abs(sd_z), errors) << "sd of parameter " << j + 1 << ": " << s.sd << " against " << r.sd;
    worst = std::max({worst, std::abs(mean_z), std::abs(sd_z)});
  }
  return worst;
}

void compare(const std::string& text, const Overrides& problem, std::initializer_list<Overrides> samplers) {
  const Posterior reference = reference_for(text, problem);
  double worst = 0;
  int seed = 100;
  for (const Overrides& sampler : samplers) {
    SCOPED_TRACE(sampler.front());
    Overrides all = problem;
    all.insert(all.end(), sampler.begin(), sampler.end());
    all.push_back("seed=" + std::to_string(++seed));
    worst = std::max(worst, expect_agreement(sampled(text, all), reference));
  }
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", worst));
}

}  // namespace pollen::reference
