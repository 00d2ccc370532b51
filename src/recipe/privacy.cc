#include <algorithm>

#include "parts.h"

namespace pollen {

bool asks_for_privacy(const Config& config) {
  return std::ranges::any_of(config.given, [](const std::string& key) { return key.starts_with("privacy."); });
}

bool asks_for_scores(const Config& config) {
  const bool asked = config.federation.scores.value_or(asks_for_privacy(config) ? "none" : "end") == "end";
  return asked && (config.data.test_fraction > 0 || !config.data.test_source.empty());
}

void set_privacy_defaults(Config& config) {
  DataSpec& data = config.data;
  if (asks_for_privacy(config) && !data.constant && !*with_defaults(data).standardize) data.constant = "keep";
}

void complete_privacy(Config& config, const Recipe& recipe) {
  const bool covered = recipe.local && recipe.local->by_size;
  if (!covered || !asks_for_privacy(config)) return;
  PrivacyConfig& p = config.privacy;
  const bool by_hand = p.delta_0 && p.delta_1 && p.delta_2;
  if (!p.delta && !by_hand) p.delta = 1e-5;
  if (!p.adversary) p.adversary = "server";
  if (!p.target_epsilon) return;
  if (!p.on_spent) p.on_spent = "stop";
  if (!p.accountant) p.accountant = "theorem";
}

}  // namespace pollen
