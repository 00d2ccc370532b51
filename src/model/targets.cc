#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "pollen/errors.h"
#include "pollen/model.h"

namespace pollen {

std::size_t ModelFamily::wrong_target(const ModelSpec& spec, std::span<const double> y, std::size_t from) const {
  const bool real = target(spec) == TargetKind::real;
  const double end = spec.classifies() ? static_cast<double>(spec.outcomes()) : std::numeric_limits<double>::infinity();
  std::size_t r = from;
  while (r < y.size() && std::isfinite(y[r]) && (real || (y[r] >= 0.0 && y[r] == std::floor(y[r]) && y[r] < end))) ++r;
  return r;
}

std::string ModelFamily::accepted_target(const ModelSpec& spec) const {
  if (spec.classifies()) return fmt::format("a class index from 0 to {}", spec.outcomes() - 1);
  return target(spec) == TargetKind::real ? "a finite number" : "a count (0, 1, 2, ...)";
}

void check_targets(const ModelSpec& spec, const Observations& observations) {
  if (spec.family == nullptr) throw std::invalid_argument("ModelSpec::family is null, accepted: &model_family(name)");
  const ModelFamily& family = *spec.family;
  if (family.target(spec) == TargetKind::none) return;
  if (observations.x.columns != spec.features)
    throw ConfigError("data",
                      fmt::format("found {} feature columns, accepted: {}", observations.x.columns, spec.features));
  const std::span<const double> y(observations.y, static_cast<std::size_t>(observations.x.rows));
  Problems problems;
  for (std::size_t r = family.wrong_target(spec, y, 0); r < y.size() && !problems.full();
       r = family.wrong_target(spec, y, r + 1))
    problems.add(fmt::format("data: row {}, target", r + 1),
                 fmt::format("found {}, accepted: {}", y[r], family.accepted_target(spec)));
  problems.raise();
}

}  // namespace pollen
