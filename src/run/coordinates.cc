// The normal approximation at the mode, and what a run makes of it: where its chains start (run.init = "auto") and in
// which coordinates they run (sampler.precondition). From the change of coordinates on, the problem, the clients and
// the engine work in ψ, where θ = θ̂ + Aψ. Draws are turned back into θ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment_parts.h"
#include "marginal_scale.h"
#include "model/units.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr Index kMostFull = 1000;  // the largest dimension for which whole Hessians are asked for

}  // namespace

void ExperimentParts::check_coordinates() const {
  const std::string& kind = config.sampler.precondition;
  if (kind != "none" && !recipe.reference && problem.model.is_network())
    throw ConfigError(config.file + ": sampler.precondition",
                      fmt::format("found \"{}\" with a network, whose curvature at one position says little of others; "
                                  "accepted there: \"none\"",
                                  kind));
}

void ExperimentParts::set_coordinates() {
  const std::string& kind = config.sampler.precondition;
  const bool changes = kind != "none" && !recipe.reference;
  if (!changes && config.run.init != "auto") return;
  // Clients of a server that begins again may still have the coordinates that it told them before.
  if (changes && !options.sites.empty()) tell_coordinates(std::vector<double>(problem.model.labels().size()), {});
  const bool full = changes ? kind == "full" : problem.dimension() <= kMostFull;
  questions->scale_search(full);
  Panel hessian;
  if (!full || !take_marginal_mode(hessian)) hessian = questions->hessian(questions->mode(), full);
  check_curvature(hessian);
  Coordinates made(found.mode, hessian, full);
  name_collinear(made);
  around_mode = made;
  if (changes) sample_in(std::move(made));
}

// Finds the mode of a linear model with sampled σ, and the Hessian of the normal approximation there. Returns whether
// it could.
bool ExperimentParts::take_marginal_mode(Panel& hessian) {
  if (problem.model.family == nullptr || problem.model.family->log_scales(problem.model) != 1) return false;
  const std::vector<double> start = problem.prior.centre(problem.dimension());
  const auto gradient = [this](ConstPanelView at, PanelView out) {
    link->transport().query({Query::What::gradient, at, {}}, out);
    for (Index c = 0; c < at.columns && !recipe.prior_on_server; ++c)
      problem.prior.add_gradient(at.column(c), -1.0, out.column(c));
    const std::int64_t words = 64 * at.rows * at.columns;
    found.exchanges.push_back({.down_bits = words, .up_bits = words, .columns = at.columns});
  };
  const std::optional<MarginalMode> mode = find_marginal_mode(problem.prior, start, questions->hessian(start, true),
                                                              config.sampler.mode_tolerance, gradient);
  if (!mode) return false;
  if (mode->exact_fit)
    throw ConfigError(
        config.file + ": model.kind",
        "found \"linear\" with columns that fit the target without error, so that sigma can be as small as "
        "numbers are; accepted: columns that are not made of the target, or a number for model.noise_sd");
  found.mode = mode->position;
  hessian = mode->hessian;
  found.notes.push_back(
      fmt::format("mode found in {} exchanges, log sigma where its own posterior is highest", mode->exchanges));
  if (!(mode->error <= 1e-2))
    found.warnings.push_back(fmt::format(
        "the mode was only found to {:.2g} posterior sds, as the columns are nearly collinear", mode->error));
  return true;
}

// Throws if the potential does not bend upwards along a coordinate at the mode.
void ExperimentParts::check_curvature(const Panel& hessian) const {
  const std::vector<std::string> labels = problem.model.labels();
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const double along = hessian.column(hessian.columns() == 1 ? 0 : static_cast<Index>(j))[j];
    if (along > 0 && std::isfinite(along)) continue;
    if (problem.prior.is_flat())
      throw ConfigError(config.file + ": model.prior",
                        fmt::format("found \"flat\", with which the posterior is improper: the data say nothing of {}; "
                                    "accepted: \"auto\", \"normal\", or data that do",
                                    labels[j]));
    throw NumericError(fmt::format("the curvature along {} at the mode is {}, accepted: above 0; is the posterior "
                                   "proper?",
                                   labels[j], along),
                       0, -1);
  }
}

void ExperimentParts::name_collinear(const Coordinates& made) {
  if (made.raised().empty()) return;
  const std::vector<std::string> labels = problem.model.labels();
  std::vector<std::string> names;
  for (const std::size_t j : made.raised()) names.push_back(labels[j]);
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  if (problem.prior.is_flat())
    throw ConfigError(
        config.file + ": model.prior",
        fmt::format("found \"flat\", with which the posterior is improper: {} is determined by the columns "
                    "before it; accepted: \"auto\", \"normal\", or data without that column",
                    listed));
  found.warnings.push_back(fmt::format(
      "collinear columns: the data and the columns before it determine {}; only the prior tells them apart", listed));
}

// Tells all clients the new coordinates, and changes what the server knows.
void ExperimentParts::sample_in(Coordinates made) {
  tell_coordinates(made.centre(), made.sent());
  take_coordinates(std::move(made));
}

void ExperimentParts::tell_coordinates(const std::vector<double>& centre, const Panel& matrix) {
  const Index d = problem.dimension();
  double nothing = 0;
  link->transport().query({Query::What::coordinates, {centre.data(), d, 1, d}, matrix}, {&nothing, 1, 1, 1});
  found.exchanges.push_back({.down_bits = 64 * d + (matrix.columns() > 1 ? 32 * d * (d + 1) : 64 * matrix.rows())});
}

void ExperimentParts::take_coordinates(Coordinates made) {
  coordinates = std::make_shared<const Coordinates>(std::move(made));
  theta_prior = problem.prior;
  problem.prior = coordinates->pull_back(theta_prior);
  std::ranges::fill(found.mode, 0.0);
}

// The position as it is reported: in θ, and in the units of output.scale.
ConstPanelView ExperimentParts::position() {
  if (personal) {
    if (!personal->units.changes()) return engine->position();
    fit(personal->dimension(), config.run.chains, reported_position);
    personal->units.to_data(engine->position(), reported_position);
    return reported_position;
  }
  if (!coordinates && problem.model.units == nullptr) return engine->position();
  fit(problem.dimension(), config.run.chains, reported_position);
  if (coordinates)
    coordinates->to_theta(engine->position(), reported_position);
  else
    copy_into(engine->position(), reported_position);
  if (problem.model.units != nullptr) problem.model.units->to_data(reported_position);
  return reported_position;
}

// Clients load their coordinates with their view of the broadcasts.
void ExperimentParts::archive_coordinates(Archive& archive) {
  if (!recipe.preconditioned || personal) return;
  Coordinates kept = coordinates ? *coordinates : Coordinates();
  kept.archive(archive, problem.dimension());
  if (archive.reading()) take_coordinates(std::move(kept));
}

}  // namespace pollen
