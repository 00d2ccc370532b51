#include <fmt/format.h>

#include <algorithm>

#include "base/words.h"
#include "parts.h"
#include "personal/baselines.h"
#include "recipe/key.h"
#include "recipe/samplers.h"

namespace pollen {

namespace {

// Returns the keys of [sampler] that the sampler's row names.
std::string keys_of_row(const Config& config) {
  const std::string& name = config.sampler.name;
  if (const PersonalBaseline* baseline = find_baseline(name); baseline != nullptr && is_mixed(config))
    return baseline->keys;
  if (const ReferenceSampler* reference = find_reference(name)) return reference->keys;
  const NamedSampler* sampler = find_sampler(name);
  return sampler == nullptr ? std::string() : sampler->keys;
}

// Returns the completed configuration that remains if these given keys are left out.
Config completed_without(const std::vector<const Key*>& left_out, const GivenValues& given, const Config& config,
                         Index clients, Index dimension) {
  std::string text;
  for (const auto& [path, value] : given)
    if (!value.empty() && std::ranges::count(left_out, path, &Key::path) == 0)
      text += fmt::format("{} = {}\n", path, value);
  Config rest = read_config_text(text, config.file);
  rest.clients = config.clients;
  std::vector<std::string> ignored;
  complete(rest, clients, dimension, ignored);
  return rest;
}

}  // namespace

bool has_recipe(const Config& config) { return find_sampler(config.sampler.name) != nullptr; }

bool row_reads(const Config& config, const std::string& key) { return has_word(keys_of_row(config), key); }

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (SamplerRow& row : sampler_rows()) names.push_back(std::move(row.name));
  return names;
}

GivenValues given_values(const Config& config) {
  GivenValues values;
  for (const Key& key : keys())
    if (config.given.contains(key.path)) values[key.path] = key.value(config);
  return values;
}

// A key that has the value which it would have anyway is not worth a warning. DIR/config.toml has many of these,
// because every default is written there.
void list_unused(const GivenValues& given, const Config& config, const Recipe& recipe, Index clients, Index dimension,
                 std::vector<std::string>& warnings) {
  std::vector<const Key*> unused;
  for (const Key& key : keys())
    if (config.given.contains(key.path) && key.when.test && !key.when.test(config, recipe)) unused.push_back(&key);
  // Nearly all of them are at defaults that depend on nothing, so these are left aside first.
  std::erase_if(unused, [&, plain = Config{}](const Key* key) { return given.at(key->path) == key->value(plain); });
  if (unused.empty()) return;
  const Config rest = completed_without(unused, given, config, clients, dimension);
  for (const Key* key : unused)
    if (given.at(key->path) != key->value(rest))
      warnings.push_back(fmt::format("{} is set but plays no role here: it is used {}", key->path, key->when.words));
}

}  // namespace pollen
