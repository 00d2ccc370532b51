// Picks the step of a run if it is "auto", and holds a given one against the curvature of the data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment_parts.h"
#include "local_step.h"
#include "pollen/errors.h"
#include "reference/reference.h"
#include "smoothness.h"

namespace pollen {

// Whether set-up may ask for the curvature. Under privacy accounting it may not if the answer would only be used for a
// warning, because even that reveals something about the data.
bool ExperimentParts::may_ask_curvature() const {
  const bool covered = recipe.local && recipe.local->by_size && asks_for_privacy(config);
  const auto about_step = [](const UncoveredQuery& look) { return look.name == "step" || look.name == "schedule"; };
  return !covered || std::ranges::any_of(uncovered, about_step);
}

// Sets the step of a network. The curvature of a network at one position says nothing about other positions, so the
// user must give the step or its constants.
void ExperimentParts::set_network_step() {
  if (!recipe.local || !recipe.local->decaying) return;
  LocalSteps& local = *recipe.local;
  if (recipe.step.smoothness == 0 || recipe.step.convexity == 0)
    throw ConfigError(config.file + ": sampler.schedule",
                      "found \"decaying\" for a network; accepted with sampler.smoothness and sampler.convexity given");
  recipe.step.size = local.step_at(recipe.step, problem.clients(), 0) / local.unit(problem.clients());
}

void ExperimentParts::set_step() {
  if (problem.model.is_network()) return set_network_step();
  if (recipe.exact) return;  // it finds its own step in the burn-in, and a given one makes no error
  if (!may_ask_curvature()) {
    if (recipe.local->decaying)
      config.sampler.step = recipe.step.size = recipe.local->step_at(recipe.step, problem.clients(), 0);
    return found.notes.push_back(
        "the step was not held against the data's curvature, which would show something of it");
  }
  const bool adapts = recipe.reference && !find_reference(recipe.name)->needs_step;
  const bool picked = !config.sampler.step && !adapts;
  const std::size_t before = found.exchanges.size();
  const std::vector<double> at = questions->curvature_point();
  const Smoothness asked = find_smoothness(link->transport(), problem.prior, at, config.seed);
  const double smoothness = found.smoothness = asked.value;
  if (!(smoothness > 0) || !std::isfinite(smoothness)) {
    if (picked)
      throw ConfigError(config.file + ": sampler.step",
                        "\"auto\" finds no curvature to go by; accepted here: a number");
    return;
  }
  const bool bound = problem.curvature_is_bound;
  if (recipe.local) return set_local_step(at, picked);
  if (picked) {
    const std::int64_t words = 64 * problem.dimension();
    found.exchanges.push_back({.down_bits = words, .up_bits = words, .times = asked.exchanges, .columns = 1});
    if (forecast_step(1 / smoothness)) return;
    // Where events are rare or classes well apart, the bound is far above the curvature near the mode, which is 1 in
    // coordinates that are made for it.
    constexpr double kElsewhere = 2;
    const bool near_mode = bound && coordinates && config.sampler.precondition == "full" && smoothness > kElsewhere;
    const double curvature = near_mode ? kElsewhere : smoothness;
    recipe.step.size = auto_step(recipe, curvature, problem.clients(), problem.dimension(), problem.rows);
    config.sampler.step = recipe.step.size;
    found.notes.push_back(fmt::format("step = \"auto\" picked {:.4g} (smoothness L = {:.4g}, {})", recipe.step.size,
                                      curvature,
                                      near_mode ? "twice that at the mode"
                                      : bound   ? "a bound"
                                                : "estimated at the mode"));
    return;
  }
  // The curvature was only checked for a warning, so its bits are not counted, unless the mode is needed anyway.
  if (recipe.oracle != OracleKind::fixed_point && config.run.init != "mode") found.exchanges.resize(before);
  const auto place = std::ssize(found.warnings);
  check_step();
  const bool good = bound && found.forecast && found.forecast->ok;  // the curvature is far below its bound
  if (recipe.step.size > 2 / smoothness && !good)
    found.warnings.insert(
        found.warnings.begin() + place,
        fmt::format(
            "sampler.step {:.4g} is above the stability bound 2/L = {:.4g} (L = {:.4g}{}): the chain may diverge",
            recipe.step.size, 2 / smoothness, smoothness, bound ? "" : ", estimated at the mode"));
}

namespace {

// Returns m of a convex model that is not quadratic. Its likelihood may add nothing to the prior's precision. Throws
// ConfigError if the model is not known to be convex, because m is then not known either.
double prior_convexity(const StatisticalProblem& problem, const std::string& file) {
  if (const std::string why = problem.model.not_convex(); !why.empty())
    throw ConfigError(
        file + ": sampler.schedule",
        fmt::format("found \"decaying\", whose step needs the strong convexity m of the clients' potentials, which is "
                    "not known here: {}; accepted with sampler.convexity given",
                    why));
  return problem.prior.least_curvature();
}

}  // namespace

// Sets the step of the averaging family, which depends on each client's own curvature.
void ExperimentParts::set_local_step(std::span<const double> at, bool picked) {
  LocalSteps& local = *recipe.local;
  const bool wanted = picked || (local.decaying && (recipe.step.smoothness == 0 || recipe.step.convexity == 0));
  const std::size_t before = found.exchanges.size();
  const bool convexity = local.decaying && recipe.step.convexity == 0;
  LocalBounds bounds = find_local_bounds(link->transport(), link->weights(), at, problem.clients(),
                                         convexity && problem.model.quadratic());
  if (convexity && !problem.model.quadratic()) bounds.convexity = prior_convexity(problem, config.file);
  if (wanted) found.exchanges.push_back({.down_bits = 64 * problem.dimension(), .up_bits = 128, .columns = 1});
  if (!wanted && config.run.init != "mode") found.exchanges.resize(before);
  if (local.decaying) {
    if (recipe.step.smoothness == 0) recipe.step.smoothness = bounds.smoothness;
    if (recipe.step.convexity == 0) recipe.step.convexity = bounds.convexity;
    config.sampler.smoothness = recipe.step.smoothness;
    config.sampler.convexity = recipe.step.convexity;
    recipe.step.size = local.step_at(recipe.step, problem.clients(), 0) / local.unit(problem.clients());
    found.notes.push_back(
        fmt::format("decaying step from {:.4g} (L = {:.4g}, m = {:.4g} of the clients' potentials over their "
                    "weights)",
                    recipe.step.size, recipe.step.smoothness, recipe.step.convexity));
  } else if (picked) {
    if (forecast_step(most_local_step(local, bounds))) return;
    recipe.step.size = auto_local_step(
        recipe, bounds, auto_step(recipe, found.smoothness, problem.clients(), problem.dimension(), problem.rows));
    found.notes.push_back(fmt::format("step = \"auto\" picked {:.4g} (largest local curvature {:.4g})",
                                      recipe.step.size, bounds.smoothness * local.unit(problem.clients())));
  }
  if (!local.decaying) config.sampler.step = recipe.step.size;
  const double most = 2 / bounds.smoothness / local.unit(problem.clients());
  if (recipe.step.size > most)
    found.warnings.push_back(
        fmt::format("sampler.step {:.4g} is above the stability bound {:.4g} of the local steps: the chain may "
                    "diverge",
                    recipe.step.size, most));
  if (!picked) check_step();
}

}  // namespace pollen
