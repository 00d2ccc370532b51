#include "run/reference_engine.h"

namespace pollen {

std::unique_ptr<Engine> make_reference_engine(const Config& config, const Recipe& recipe,
                                              const StatisticalProblem& problem) {
  ReferenceProblem what;
  for (const auto& p : problem.potentials) what.clients.push_back(p.get());
  what.prior = &problem.prior;
  what.dimension = problem.dimension();
  what.chains = config.run.chains;
  what.temperature = recipe.temperature;
  what.seed = config.seed;

  const ReferenceConfig& given = config.reference;
  ReferenceSettings settings;
  if (recipe.step > 0) settings.step = recipe.step;
  settings.batch = recipe.batch;
  settings.warm_up = *config.run.burn_in;
  settings.target_accept = given.target_accept.value_or(0);
  settings.adapt_mass = given.adapt_mass;
  settings.leapfrogs = given.leapfrogs;
  settings.trajectory = given.trajectory;
  settings.jitter = given.jitter;
  settings.most_leapfrogs = given.most_leapfrogs;
  settings.max_depth = static_cast<int>(given.max_depth);
  settings.decay = given.decay;
  settings.damping = given.damping;
  settings.refresh = config.sampler.refresh;
  settings.local_steps = config.sampler.local_steps.value_or(10);
  settings.server_step = given.server_step;
  settings.tolerance = given.tolerance;
  settings.local_kernel = given.local_kernel;
  settings.diagonal = given.diagonal;
  settings.surrogate = given.surrogate.value_or(settings.surrogate);
  settings.swag_rate = given.swag_rate;
  settings.swag_least_sd = given.swag_least_sd;
  settings.samples = given.samples;
  settings.local_burn_in = given.local_burn_in;
  settings.shrinkage = given.shrinkage;
  settings.server_law = given.server_law;
  return make_reference(recipe.name, what, settings);
}

}  // namespace pollen
