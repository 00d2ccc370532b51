#include <fmt/format.h>

#include "base/words.h"
#include "parts.h"
#include "personal/baselines.h"
#include "recipe/key.h"
#include "recipe/samplers.h"

namespace pollen {

namespace {

// Returns the keys that the sampler's row names, or null if the sampler is defined by a recipe.
const char* keys_of_row(const Config& config) {
  if (is_mixed(config)) {
    const PersonalBaseline* baseline = find_baseline(config.sampler.name);
    return baseline == nullptr ? nullptr : baseline->keys;
  }
  const ReferenceSampler* reference = find_reference(config.sampler.name);
  return reference == nullptr ? nullptr : reference->keys;
}

}  // namespace

bool keys_in_row(const Config& config) { return keys_of_row(config) != nullptr; }

bool row_reads(const Config& config, const std::string& key) {
  const char* keys = keys_of_row(config);
  return keys != nullptr && has_word(keys, key);
}

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (SamplerRow& row : sampler_rows()) names.push_back(std::move(row.name));
  return names;
}

void list_unused(const Config& config, const Recipe& recipe, std::vector<std::string>& warnings) {
  for (const Key& key : keys())
    if (config.given.contains(key.path) && key.when.test && !key.when.test(config, recipe))
      warnings.push_back(fmt::format("{} is set but plays no role here: it is used {}", key.path, key.when.words));
}

}  // namespace pollen
