#include <algorithm>

#include "personal.h"

namespace pollen {

namespace {

PersonalSettings personal_settings(const Config& config) {
  const SamplerConfig& s = config.sampler;
  PersonalSettings out;
  out.kernel = s.kernel == "mala" ? LocalKernel::mala : s.kernel == "hmc" ? LocalKernel::hmc : LocalKernel::langevin;
  out.step = s.step.value_or(0);
  out.local_steps = s.local_steps.value_or(10);
  out.leapfrogs = s.local_leapfrogs;
  out.warm_start = s.warm_start;
  out.population_step = s.population_step.value_or(0);
  out.shared_step = s.shared_step.value_or(0);
  out.decay = s.step_decay;
  out.shared_radius = s.shared_radius.value_or(0);
  out.particles = config.population.particles;
  out.averaged_from = *config.run.burn_in;
  return out;
}

BaselineSettings baseline_settings(const Config& config, const Recipe& recipe) {
  const SamplerConfig& s = config.sampler;
  BaselineSettings out;
  out.step = recipe.step.size;
  out.local_steps = s.local_steps.value_or(10);
  out.server_step = config.reference.server_step.value_or(1);
  out.penalty = s.penalty;
  out.mixture = s.mixture;
  out.adapt_mixture = s.adapt_mixture;
  out.aggregate = s.aggregate;
  out.head_steps = s.head_steps;
  out.inner_step = s.inner_step;
  out.hessian_free = s.hessian_free;
  out.participation = recipe.participation;
  return out;
}

}  // namespace

std::unique_ptr<ServerStep> make_personal_round(const Config& config, const Recipe& recipe, PersonalParts& parts) {
  if (parts.baseline) {
    Baseline baseline = make_baseline(recipe.name, parts.problem, baseline_settings(config, recipe));
    parts.work = std::move(baseline.work);
    parts.point = std::move(baseline.model);
    return std::move(baseline.step);
  }
  const PersonalSettings settings = personal_settings(config);
  parts.work = make_personal_work(parts.problem, settings);
  const auto shared = static_cast<std::size_t>(parts.model->shared());
  parts.point = [shared](Index, std::span<const double> position, std::span<const double> z, std::span<double> w) {
    std::ranges::copy(position.first(shared), w.begin());
    std::ranges::copy(z, w.subspan(shared).begin());
  };
  return make_approximation(parts.problem, settings, recipe.up.rate);
}

}  // namespace pollen
