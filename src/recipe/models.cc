#include "model/models.h"

#include <fmt/format.h>

#include "base/words.h"
#include "parts.h"

namespace pollen {

namespace {

bool in_group(const Config& config, ModelRow::Group group) {
  const ModelRow* row = models().find(config.model.kind);
  return row != nullptr && row->group == group;
}

bool has_last_layer(const Config& config) {
  const ModelRow* row = models().find(config.model.kind);
  return row != nullptr && row->last_layer;
}

}  // namespace

std::vector<std::string> model_kinds() { return models().names(); }

bool model_reads(const Config& config, const std::string& key) {
  const ModelRow* row = models().find(config.model.kind);
  return row != nullptr && has_word(row->keys, key);
}

std::string last_layer_kinds() {
  std::string names;
  for (const ModelRow& row : models())
    if (row.last_layer) names += (names.empty() ? "" : ", ") + row.name;
  return names;
}

bool is_network(const Config& config) { return in_group(config, ModelRow::Group::network); }

bool is_mixed(const Config& config) {
  return in_group(config, ModelRow::Group::mixed) || (config.model.personal == "last-layer" && has_last_layer(config));
}

void check_last_layer(const Config& config, Problems& problems) {
  if (config.model.personal == "none" || has_last_layer(config)) return;
  problems.add(
      config.file + ": model.personal",
      fmt::format("found \"{}\" with the model {}, accepted with: {}{}", config.model.personal, config.model.kind,
                  last_layer_kinds(), is_mixed(config) ? "; each client has latents of its own already" : ""));
}

}  // namespace pollen
