// The normal approximation at the mode, and what a run makes of it: where its chains start (run.init = "auto") and in
// which coordinates they run (sampler.precondition). From the change of coordinates on, the problem, the clients and
// the engine work in ψ, where θ = θ̂ + Aψ. Draws are turned back into θ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiment_parts.h"
#include "math/math.h"
#include "model/units.h"
#include "pollen/errors.h"
#include "separated.h"

namespace pollen {

void ExperimentParts::check_coordinates() const {
  const std::string& kind = config.sampler.precondition;
  if (kind == "full" && !options.sites.empty() && problem.dimension() > Coordinates::kMostFull)
    throw ConfigError(
        config.file + ": sampler.precondition",
        fmt::format("found \"full\" with {} coefficients, accepted in a federation: \"diagonal\", or up to "
                    "{} coefficients",
                    problem.dimension(), Coordinates::kMostFull));
  if (kind != "none" && !recipe.reference && problem.model.is_network())
    throw ConfigError(config.file + ": sampler.precondition",
                      fmt::format("found \"{}\" with a network, whose curvature at one position says little of others; "
                                  "accepted there: \"none\"",
                                  kind));
}

bool ExperimentParts::approximates_whole() const {
  return changes_coordinates() ? config.sampler.precondition == "full"
                               : problem.dimension() <= Coordinates::kMostFull && problem.shows_curvature;
}

// Lets a sample of clients answer for whole Hessians where all would take too long, and says what "auto" has chosen
// unless that is the whole of all clients' Hessians. A sample must have enough rows to tell correlations.
void ExperimentParts::choose_sample(bool automatic) {
  constexpr double kMostWork = 2e10, kSampleWork = 4e9;  // operations, about
  constexpr double kFewestRows = 20, kEnoughRows = 200;  // per coefficient
  SamplerConfig& s = config.sampler;
  automatic = automatic && changes_coordinates() && asks_for_coordinates(config);
  const auto d = static_cast<double>(problem.dimension()), clients = static_cast<double>(problem.clients());
  const auto diagonal = [&](const std::string& why) {
    s.curvature_clients = 0;
    s.precondition = "diagonal";
    found.notes.push_back(fmt::format("sampler.precondition = \"auto\" is \"diagonal\": {}", why));
  };
  if (automatic && problem.dimension() > Coordinates::kMostFull)
    return diagonal(
        fmt::format("whole Hessians are asked for up to {} coefficients, and there are {}; \"full\" asks "
                    "for them all the same",
                    Coordinates::kMostFull, problem.dimension()));
  if (automatic && s.precondition == "diagonal" && problem.shows_curvature)
    return diagonal(
        "whole Hessians would be more than a tenth of what clients send in this run; \"full\" asks for "
        "them all the same");
  const bool decides = automatic || !changes_coordinates();
  if (!decides || !approximates() || !approximates_whole() || config.given.contains("sampler.curvature_clients"))
    return;
  const double rows = std::accumulate(problem.rows.begin(), problem.rows.end(), 0.0), work = 12 * d * d;  // per row
  const double enough = std::max(std::ceil(std::max(kEnoughRows * d, kSampleWork / work) / rows * clients),
                                 static_cast<double>(2 * fewest_sampled(problem.dimension())));
  const bool slow = work * rows > kMostWork && 2 * enough < clients;
  auto asked = static_cast<double>(s.curvature_clients);
  if (slow && (asked == 0 || enough < asked)) asked = enough;
  s.curvature_clients = static_cast<Index>(asked);
  if (asked == 0) return;
  if (asked * rows / clients < kFewestRows * d) {
    if (automatic)
      return diagonal(
          "whole Hessians of all clients would be more than a tenth of what they send in this run, and "
          "those of fewer clients do not tell how columns are correlated");
    s.curvature_clients = 0;
    return;
  }
  found.notes.push_back(fmt::format(
      "{} of {} clients, drawn at random, were asked for whole Hessians, because those of all {}", s.curvature_clients,
      problem.clients(), slow ? "would take too long" : "would be more than a tenth of what clients send in this run"));
}

// A program's own posterior may have no mode that starts and coordinates could go by. Unless they were asked for, its
// chains then start at zero, in its own coordinates.
void ExperimentParts::set_coordinates() {
  if (!approximates()) return;
  const bool changes = changes_coordinates();
  // Clients of a server that begins again may still have the coordinates that it told them before.
  if (changes && !options.sites.empty()) tell_coordinates(std::vector<double>(problem.model.labels().size()), {});
  const bool asked = config.given.contains("run.init") || config.given.contains("sampler.precondition");
  const auto go_without = [&](const char* why) {
    if (!options.posterior || asked) throw;  // the error that is being handled
    found.mode.clear();
    found.notes.push_back(fmt::format("chains start at zero, in the posterior's own coordinates: {}", why));
  };
  try {
    around_mode = approximation_at_mode(approximates_whole());
  } catch (const NumericError& error) {
    return go_without(error.what());
  } catch (const ConfigError& error) {
    return go_without(error.what());
  }
  if (changes) sample_in(*around_mode);
}

// Finds the normal approximation at the mode. Throws ConfigError or NumericError if there is none.
Coordinates ExperimentParts::approximation_at_mode(bool full) {
  const Panel hessian = questions->curvature_at_mode(full);
  check_curvature(hessian);
  check_separation(hessian);
  Coordinates made(questions->mode(), hessian, full);
  name_collinear(made, hessian);
  return made;
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

// Throws if the prior is flat and the likelihood has no maximum.
void ExperimentParts::check_separation(const Panel& hessian) {
  const ModelSpec& model = problem.model;
  const bool may = model.family != nullptr && (model.classifies() || model.family->target(model) == TargetKind::count);
  if (!problem.prior.is_flat() || !may || model.is_network()) return;
  const std::vector<std::string> labels = model.labels();
  const Panel begin = questions->hessian(std::vector<double>(labels.size()), hessian.columns() > 1);
  std::vector<std::string> names;
  for (const std::size_t j : lost_coordinates(begin, hessian)) names.push_back(labels[j]);
  if (!names.empty()) refuse_separation(config, std::move(names), "\"auto\", \"normal\"");
}

// Returns the coordinates that those before them determine. Hessians in single precision do not tell them from those
// that are merely close to that, so with a flat prior clients are asked for the curvature along the direction in
// question.
std::vector<std::size_t> ExperimentParts::determined(const Coordinates& made, const Panel& hessian) {
  constexpr double kDoubtful = 1e-4;
  std::vector<std::size_t> found_places = made.raised();
  if (!problem.prior.is_flat() || hessian.columns() == 1) return found_places;
  const Index d = hessian.rows();
  Panel unit(d, 1), along(d, 1), bend(d, 1);
  for (std::size_t j = 0; j < static_cast<std::size_t>(d); ++j) {
    unit.column(0)[j] = 1;
    made.turn(unit, along);
    unit.column(0)[j] = 0;
    const double pivot = 1 / (hessian.column(static_cast<Index>(j))[j] * along.column(0)[j] * along.column(0)[j]);
    if (pivot > kDoubtful || std::ranges::count(made.raised(), j) > 0) continue;
    link->transport().query({Query::What::curvature, {made.centre().data(), d, 1, d}, along}, bend);
    found.exchanges.push_back({.down_bits = 128 * d, .up_bits = 64 * d, .columns = 1});
    if (pivot * math::dot(along.column(0), bend.column(0)) < Coordinates::kLeast) found_places.push_back(j);
  }
  return found_places;
}

void ExperimentParts::name_collinear(const Coordinates& made, const Panel& hessian) {
  const std::vector<std::size_t> places = determined(made, hessian);
  if (places.empty()) return;
  const std::vector<std::string> labels = problem.model.labels();
  std::vector<std::string> names;
  for (const std::size_t j : places) names.push_back(labels[j]);
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  if (problem.prior.is_flat())
    throw ConfigError(
        config.file + ": model.prior",
        problem.model.outcomes() > 2
            ? "found \"flat\", with which the posterior is improper: the likelihood does not change if the "
              "coefficients "
              "of all classes change alike; accepted: \"auto\", \"normal\""
            : fmt::format("found \"flat\", with which the posterior is improper: {} is determined by the columns "
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
  found.exchanges.push_back({.down_bits = 64 * d + 64 * matrix.rows() * matrix.columns()});
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
    reported_position = personal->in_data_units(engine->position());
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
  bool changed = coordinates != nullptr;
  archive.flag(changed);
  if (!changed) return;
  Coordinates kept = coordinates ? *coordinates : Coordinates();
  kept.archive(archive, problem.dimension());
  if (archive.reading()) take_coordinates(std::move(kept));
}

}  // namespace pollen
