#include "model/models.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.h"
#include "parts.h"
#include "reference/reference.h"

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

// An accountant covers neither moments nor a start that come from the data, unless the user accepts them by name.
void set_model_defaults(Config& config) {
  const ModelRow* row = models().find(config.model.kind);
  if (row == nullptr) return;
  const TargetKind target = row->family ? row->family->target({}) : TargetKind::none;
  const bool plain = row->group == ModelRow::Group::plain && target != TargetKind::none;
  const auto accepts = [&](const char* look) {
    return !asks_for_privacy(config) || std::ranges::count(config.privacy.accept, look) > 0;
  };
  ModelConfig& m = config.model;
  if (m.prior == "auto") {
    const bool chosen = config.given.contains("model.prior");
    const bool scaled = config.given.contains("model.prior_sd") || m.weight_decay;
    const bool mixed = row->group == ModelRow::Group::mixed;
    if (mixed && !samples_jointly(config))
      m.prior = scaled ? "normal" : "flat";
    else if ((!mixed && !plain) || (!chosen && (scaled || !accepts("prior"))))
      m.prior = "normal";
  }
  config.data.column_moments = m.prior == "auto";
  config.data.target_moments = m.prior == "auto" && (target == TargetKind::real || target == TargetKind::count);
  if (plain) config.data.centred = *with_defaults(config.data).intercept;
  if (config.run.init != "auto") return;
  const ReferenceSampler* reference = find_reference(config.sampler.name);
  const bool covered = !config.given.contains("run.init") && !accepts("init");
  if (row->group == ModelRow::Group::mixed)
    config.run.init = covered ? "zero" : "auto";  // complete_personal() decides about "auto"
  else if (covered)
    config.run.init = m.prior == "flat" ? "zero" : "prior";
  else if (!plain || (reference != nullptr && !reference->samples))
    config.run.init = "zero";
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
