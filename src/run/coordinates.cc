// The coordinates in which a run samples (sampler.precondition). Set-up finds the mode and the Hessian there, and from
// then on the problem, the clients and the engine work in ψ, where θ = θ̂ + Aψ. Draws are turned back into θ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment_parts.h"
#include "pollen/errors.h"

namespace pollen {

// Clients of other processes would have to be told the coordinates, which no message does.
void ExperimentParts::check_coordinates() const {
  const std::string& found_key = config.sampler.precondition;
  if (found_key == "none" || recipe.reference) return;
  const char* why = problem.model.is_network() ? "with a network, whose curvature at one position says little of others"
                    : ranks != nullptr         ? "on several ranks"
                    : !options.sites.empty()   ? "in a federation"
                    : options.transport        ? "with a transport of the program's own"
                                               : nullptr;
  if (why != nullptr)
    throw ConfigError(config.file + ": sampler.precondition",
                      fmt::format("found \"{}\" {}, accepted there: \"none\"", found_key, why));
}

void ExperimentParts::set_coordinates() {
  const std::string& kind = config.sampler.precondition;
  if (kind == "none" || recipe.reference) return;
  const std::vector<double> mode = questions->mode();
  const Panel hessian = questions->hessian();
  const std::vector<std::string> labels = problem.model.labels();
  for (std::size_t j = 0; j < mode.size(); ++j) {
    const double along = hessian.column(static_cast<Index>(j))[j];
    if (!(along > 0) || !std::isfinite(along))
      throw NumericError(
          fmt::format("sampler.precondition = \"{}\": the curvature along {} at the mode is {}, accepted: "
                      "above 0; is the posterior proper?",
                      kind, labels[j], along),
          0, -1);
  }
  sample_in(Coordinates(mode, hessian, kind == "full"));
  if (coordinates->raised().empty()) return;
  std::vector<std::string> names;
  for (const std::size_t j : coordinates->raised()) names.push_back(labels[j]);
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  if (problem.prior.is_flat())
    throw ConfigError(
        config.file + ": model.prior",
        fmt::format("found \"flat\", with which the posterior is improper: {} is determined by the columns "
                    "before it; accepted: \"normal\", or data without that column",
                    listed));
  found.warnings.push_back(fmt::format(
      "collinear columns: the data and the columns before it determine {}; only the prior tells them apart", listed));
}

void ExperimentParts::sample_in(Coordinates made) {
  coordinates = std::make_shared<const Coordinates>(std::move(made));
  theta_prior = problem.prior;
  problem.prior = coordinates->pull_back(theta_prior);
  problem.potentials = problem.potentials.changed(
      [in = coordinates](std::shared_ptr<const Potential> one) { return in_coordinates(std::move(one), in); });
  std::ranges::fill(found.mode, 0.0);
  theta_position = Panel(problem.dimension(), config.run.chains);
  make_link();
}

ConstPanelView ExperimentParts::position() {
  if (!coordinates) return engine->position();
  coordinates->to_theta(engine->position(), theta_position);
  return theta_position;
}

void ExperimentParts::archive_coordinates(Archive& archive) {
  if (config.sampler.precondition == "none" || recipe.reference || personal) return;
  Coordinates kept = coordinates ? *coordinates : Coordinates();
  kept.archive(archive, problem.dimension());
  if (archive.reading()) sample_in(std::move(kept));
}

}  // namespace pollen
