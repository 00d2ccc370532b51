// Makes a reference sampler or a competitor (reference/reference.h, docs/algorithms.md section 8) of an experiment.
#include "experiment_parts.h"
#include "reference/reference.h"

namespace pollen {

namespace {

std::shared_ptr<const Unlabelled> unlabelled_of(const StatisticalProblem& problem) {
  const Table& table = problem.data.distill;
  const ModelSpec& model = problem.model;
  const Index classes = model.outcomes();
  auto out = std::make_shared<Unlabelled>();
  out->rows = table.rows;
  for (Index c = 0; c < classes; ++c)
    out->labels.insert(out->labels.end(), static_cast<std::size_t>(table.rows), static_cast<double>(c));
  for (Index c = 0; c < classes; ++c)
    out->labelled.push_back(make_potential(model, {table.view(), out->labels.data() + c * table.rows}));
  out->predict = [&model, &table](std::span<const double> theta, std::span<double> to, Scratch& scratch) {
    model.family->class_probabilities(model, theta, table.view(), to, scratch);
  };
  return out;
}

}  // namespace

std::unique_ptr<Engine> ExperimentParts::make_reference_engine() const {
  ReferenceProblem what;
  for (std::size_t i = 0; i < problem.potentials.size(); ++i) {
    what.held.push_back(problem.potentials[i]);
    what.clients.push_back(what.held.back().get());
  }
  what.prior = &problem.prior;
  what.dimension = problem.dimension();
  what.chains = config.run.chains;
  what.temperature = recipe.temperature;
  what.seed = config.seed;
  if (problem.model.is_network() &&
      config.model.likelihood != "mean")  // with "mean", rows of different clients have different weights
    what.pool = [this] {
      return make_potential(problem.model, {problem.data.train.view(), problem.data.train.y.data()});
    };

  const ReferenceConfig& given = config.reference;
  if (given.distill && problem.data.distill.rows > 0) what.unlabelled = unlabelled_of(problem);
  ReferenceSettings settings;
  if (recipe.step.size > 0) settings.step = recipe.step.size;
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
  settings.distill = given.distill;
  settings.distill_steps = given.distill_steps;
  settings.distill_rate = given.distill_rate;
  settings.samples = given.samples;
  settings.local_burn_in = given.local_burn_in;
  settings.shrinkage = given.shrinkage;
  settings.server_law = given.server_law;
  return make_reference(recipe.name, what, settings);
}

}  // namespace pollen
