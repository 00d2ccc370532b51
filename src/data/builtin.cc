#include "builtin.h"

#include "data/registries.h"

namespace pollen {

const Registry<BuiltinSet>& builtin_sets() {
  static const Registry<BuiltinSet> rows(
      "data.source",
      {{"titanic", "2201 people of the Titanic: class, sex, age; who survived", "", false,
        [](const DataSpec&, std::uint64_t) { return data::titanic(); }},
       {"synthetic-gaussian", "N(μ_i, I) rows, means spread by data.heterogeneity (the toy of the QLSD paper)",
        "dimension heterogeneity min_size max_size", true, data::synthetic_gaussian},
       {"synthetic-logistic", "SYNTHETIC(α, β) of Li et al. 2020, two classes",
        "dimension min_size max_size alpha beta", true, data::synthetic_logistic},
       {"synthetic-mixed", "y ~ N(xᵀΦz_i, σ²), one z_i per client, most clients small (Collins et al. 2021; FedPop)",
        "dimension heterogeneity min_size max_size latent_dimension noise_sd small_share", true,
        data::synthetic_mixed}});
  return rows;
}

std::vector<std::string> builtin_datasets() { return builtin_sets().names(); }

namespace data {

bool is_builtin(const std::string& source) { return builtin_sets().find(source) != nullptr; }

bool is_synthetic(const std::string& source) {
  const BuiltinSet* set = builtin_sets().find(source);
  return set != nullptr && set->makes_clients;
}

}  // namespace data
}  // namespace pollen
