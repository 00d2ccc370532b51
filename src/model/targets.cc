#include <fmt/core.h>

#include <cmath>
#include <string>

#include "pollen/errors.h"
#include "pollen/model.h"

namespace pollen {

namespace {

// Returns true if the target is a real response, false if it is a count or a class.
bool is_real(const ModelSpec& spec) {
  return spec.kind == ModelKind::linear || (spec.kind == ModelKind::network && !spec.classifies());
}

bool accepted(const ModelSpec& spec, double y, Index classes) {
  if (is_real(spec)) return std::isfinite(y);
  const bool whole = std::isfinite(y) && y >= 0.0 && y == std::floor(y);
  return spec.kind == ModelKind::poisson ? whole : whole && y < static_cast<double>(classes);
}

std::string expected(const ModelSpec& spec, Index classes) {
  if (is_real(spec)) return "a finite number";
  if (spec.kind == ModelKind::poisson) return "a count (0, 1, 2, ...)";
  return fmt::format("a class index from 0 to {}", classes - 1);
}

}  // namespace

void check_targets(const ModelSpec& spec, const Observations& observations) {
  if (spec.kind == ModelKind::gaussian) return;
  if (observations.x.columns != spec.features)
    throw ConfigError("data",
                      fmt::format("found {} feature columns, accepted: {}", observations.x.columns, spec.features));
  const Index classes = spec.kind == ModelKind::logistic ? 2 : spec.classes;
  Problems problems;
  for (Index r = 0; r < observations.x.rows && !problems.full(); ++r) {
    const double y = observations.y[r];
    if (!accepted(spec, y, classes))
      problems.add(fmt::format("data: row {}, target", r + 1),
                   fmt::format("found {}, accepted: {}", y, expected(spec, classes)));
  }
  problems.raise();
}

}  // namespace pollen
