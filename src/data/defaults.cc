// Defaults that follow from the source or the partition.
#include "builtin.h"
#include "pollen/data.h"

namespace pollen {

// synthetic-mixed is its model's law as it stands: scaled columns or an intercept would be another one.
DataSpec with_defaults(DataSpec spec) {
  const bool mixed = !spec.sources.empty() && spec.sources.front() == "synthetic-mixed";
  spec.standardize = spec.standardize.value_or(!mixed);
  spec.intercept = spec.intercept.value_or(!mixed);
  spec.heterogeneity = spec.heterogeneity.value_or(mixed ? 1.0 : 5.0);
  const bool split = spec.sources.empty() || !data::is_synthetic(spec.sources.front());  // by data.partition
  const bool pairs = split && spec.partition == "label-pairs";
  const bool dominant = split && spec.partition == "dominant-label";
  const bool writers = split && spec.partition == "by-writer";
  if (!writers) spec.clients = spec.clients.value_or(pairs || dominant ? 20 : 10);  // both papers have 20
  spec.dominant_share = spec.dominant_share.value_or(pairs ? 0.8 : 0.4);
  return spec;
}

void clear_paths(DataSpec& spec) {
  for (std::string* path :
       {&spec.labels, &spec.writers, &spec.test_source, &spec.test_labels, &spec.ood_source, &spec.distill_source})
    path->clear();
}

}  // namespace pollen
