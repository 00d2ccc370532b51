#include <algorithm>

#include "personal.h"
#include "smoothness.h"

namespace pollen {

namespace {

// Absent clients and compressed messages make the first steps smaller.
PersonalSettings personal_settings(const Config& config, const Recipe& recipe, const PersonalParts& parts) {
  const SamplerConfig& s = config.sampler;
  return {.kernel = s.kernel == "mala"  ? LocalKernel::mala
                    : s.kernel == "hmc" ? LocalKernel::hmc
                                        : LocalKernel::langevin,
          .step = s.step.value_or(0),
          .local_steps = s.local_steps.value_or(10),
          .leapfrogs = s.local_leapfrogs,
          .warm_start = s.warm_start,
          .population_step = s.population_step.value_or(0),
          .shared_step = s.shared_step.value_or(0),
          .decay = s.step_decay,
          .factor = 10 * auto_step(recipe, 1, std::ssize(parts.sizes), std::max<Index>(1, parts.model->shared()),
                                   parts.sizes),
          .shared_radius = s.shared_radius.value_or(0),
          .particles = config.population.particles,
          .averaged_from = *config.run.burn_in};
}

exact::JointSetup joint_setup(const Config& config, const Recipe& recipe, const PersonalParts& parts) {
  const std::string& centred = config.population.centred;
  exact::JointSetup setup{.problem = parts.problem,
                          .prior = *parts.prior,
                          .settings = config.reference,
                          .learns_length = parts.model->identified() && !config.given.contains("sampler.trajectory"),
                          .centring = centred == "always"  ? exact::Centring::always
                                      : centred == "never" ? exact::Centring::never
                                                           : exact::Centring::automatic,
                          .last = config.run.iterations};
  if (recipe.step.size > 0) setup.settings.step = recipe.step.size;
  setup.settings.warm_up = *config.run.burn_in;
  return setup;
}

BaselineSettings baseline_settings(const Config& config, const Recipe& recipe) {
  const SamplerConfig& s = config.sampler;
  return {.step = recipe.step.size,
          .local_steps = s.local_steps.value_or(10),
          .server_step = config.reference.server_step.value_or(1),
          .penalty = s.penalty,
          .mixture = s.mixture,
          .adapt_mixture = s.adapt_mixture,
          .aggregate = s.aggregate,
          .head_steps = s.head_steps,
          .inner_step = s.inner_step,
          .hessian_free = s.hessian_free,
          .participation = recipe.participation};
}

}  // namespace

std::unique_ptr<ServerStep> make_personal_round(const Config& config, const Recipe& recipe, PersonalParts& parts) {
  if (parts.baseline) {
    Baseline baseline = make_baseline(recipe.name, parts.problem, baseline_settings(config, recipe));
    parts.work = std::move(baseline.work);
    parts.point = std::move(baseline.model);
    return std::move(baseline.step);
  }
  const auto shared = static_cast<std::size_t>(parts.model->shared());
  parts.point = [shared](Index, std::span<const double> position, std::span<const double> z, std::span<double> w) {
    std::ranges::copy(position.first(shared), w.begin());
    std::ranges::copy(z, w.subspan(shared).begin());
  };
  if (parts.prior) {
    const exact::JointSetup setup = joint_setup(config, recipe, parts);
    parts.work = exact::make_joint_work(setup);
    return exact::make_joint_step(setup);
  }
  const PersonalSettings settings = personal_settings(config, recipe, parts);
  parts.work = make_personal_work(parts.problem, settings);
  return make_approximation(parts.problem, settings, recipe.up.rate);
}

}  // namespace pollen
