// Defaults that follow from the source.
#include "pollen/data.h"

namespace pollen {

// synthetic-mixed is its model's law as it stands: scaled columns or an intercept would be another one.
DataSpec with_defaults(DataSpec spec) {
  const bool mixed = !spec.sources.empty() && spec.sources.front() == "synthetic-mixed";
  spec.standardize = spec.standardize.value_or(!mixed);
  spec.intercept = spec.intercept.value_or(!mixed);
  spec.heterogeneity = spec.heterogeneity.value_or(mixed ? 1.0 : 5.0);
  return spec;
}

}  // namespace pollen
