// Fills in the defaults that depend on the source or the partition.
#include "builtin.h"
#include "pollen/data.h"

namespace pollen {

// Returns the spec with defaults. synthetic-mixed is neither standardised nor given an intercept, because either would
// change the law that the data are drawn from.
DataSpec with_defaults(DataSpec spec) {
  const bool mixed = !spec.sources.empty() && spec.sources.front() == "synthetic-mixed";
  spec.standardize = spec.standardize.value_or(!mixed);
  spec.intercept = spec.intercept.value_or(!mixed);
  spec.heterogeneity = spec.heterogeneity.value_or(mixed ? 1.0 : 5.0);
  // Whether data.partition splits the rows.
  const bool split = spec.sources.empty() || !data::is_synthetic(spec.sources.front());
  const bool pairs = split && spec.partition == "label-pairs";
  const bool dominant = split && spec.partition == "dominant-label";
  const bool writers = split && spec.partition == "by-writer";
  // Both papers that use these partitions have 20 clients.
  if (!writers) spec.clients = spec.clients.value_or(pairs || dominant ? 20 : 10);
  spec.dominant_share = spec.dominant_share.value_or(pairs ? 0.8 : 0.4);
  return spec;
}

void clear_paths(DataSpec& spec) {
  for (std::string* path :
       {&spec.labels, &spec.writers, &spec.test_source, &spec.test_labels, &spec.ood_source, &spec.distill_source})
    path->clear();
}

}  // namespace pollen
