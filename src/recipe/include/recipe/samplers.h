// The list of everything that sampler.name can be, from three tables: samplers that a recipe describes
// (pollen/recipe.h), references and competitors (reference/reference.h), and baselines of personal models
// (personal/baselines.h). Reading it is thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/registry.h"
#include "pollen/recipe.h"

namespace pollen {

const Registry<NamedSampler>& recipe_samplers();

struct SamplerRow {
  std::string name, paper, summary;
};
std::vector<SamplerRow> sampler_rows();  // a name that stands in two tables is listed once

}  // namespace pollen
