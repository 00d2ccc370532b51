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

  ReferenceSettings settings = config.reference;
  if (settings.distill && problem.data.distill.rows > 0) what.unlabelled = unlabelled_of(problem);
  if (recipe.step.size > 0) settings.step = recipe.step.size;
  settings.batch = recipe.batch;
  settings.warm_up = *config.run.burn_in;
  settings.refresh = config.sampler.refresh;
  settings.local_steps = config.sampler.local_steps.value_or(10);
  return make_reference(recipe.name, what, settings);
}

}  // namespace pollen
