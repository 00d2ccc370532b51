#include <fmt/core.h>

#include <cmath>
#include <string>

#include "family.h"
#include "pollen/errors.h"

namespace pollen::model {

namespace {

bool accepted(ModelKind kind, double y, Index classes) {
  if (kind == ModelKind::linear) return std::isfinite(y);
  const bool whole = std::isfinite(y) && y >= 0.0 && y == std::floor(y);
  return kind == ModelKind::poisson ? whole : whole && y < static_cast<double>(classes);
}

std::string expected(ModelKind kind, Index classes) {
  if (kind == ModelKind::linear) return "a finite number";
  if (kind == ModelKind::poisson) return "a count (0, 1, 2, ...)";
  return fmt::format("a class index from 0 to {}", classes - 1);
}

}  // namespace

void check_targets(const ModelSpec& spec, const Observations& observations) {
  if (observations.x.columns != spec.features)
    throw ConfigError("data",
                      fmt::format("found {} feature columns, accepted: {}", observations.x.columns, spec.features));
  const Index classes = spec.kind == ModelKind::logistic ? 2 : spec.classes;
  Problems problems;
  for (Index r = 0; r < observations.x.rows && !problems.full(); ++r) {
    const double y = observations.y[r];
    if (!accepted(spec.kind, y, classes))
      problems.add(fmt::format("data: row {}, target", r + 1),
                   fmt::format("found {}, accepted: {}", y, expected(spec.kind, classes)));
  }
  problems.raise();
}

}  // namespace pollen::model
