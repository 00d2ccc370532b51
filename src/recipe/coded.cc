// Coded messages in a recipe: their errors are a part of the Langevin noise (docs/coded-langevin.md), so they need a
// server that adds such noise, and nothing that keeps or counts a message twice.
#include <fmt/format.h>

#include "base/words.h"
#include "compress/compressors.h"
#include "parts.h"

namespace pollen {

bool is_coded(const CompressorSpec& spec) {
  const CompressorRow* row = compressors().find(spec.kind);
  return row != nullptr && has_word(row->keys, "noise_share");
}

void complete_coded(const Config& config, Problems& problems, Recipe& recipe) {
  const Uplink& up = recipe.up;
  const auto refuse = [&](const std::string& key, const std::string& what) {
    problems.add(config.file + ": " + key, what);
  };
  if (recipe.down.feedback && is_coded(recipe.down.compressor))
    refuse("sampler.downlink", "found \"coded\", which is for messages to the server; accepted: another compressor");
  const bool all = is_coded(up.compressor), own = !up.per_client.empty();
  const NamedSampler* named = find_sampler(recipe.name);
  if (!all && named != nullptr && is_coded({.kind = named->compressor}))
    refuse("sampler.compressor",
           fmt::format("found \"{}\" with {}; accepted: \"{}\"", up.compressor.kind, recipe.name, named->compressor));
  if (!all && std::ranges::none_of(up.per_client, is_coded)) return;
  if (own && !(all && std::ranges::all_of(up.per_client, is_coded)))
    refuse("client.compressor",
           "found \"coded\" for some clients; accepted: for all of them, because their errors share the noise");
  if (recipe.local || recipe.personal)
    refuse("sampler.compressor", fmt::format("found \"coded\" with {}; accepted with samplers whose server takes the "
                                             "steps: lsd, clsd* and others of the gradient family",
                                             recipe.name));
  if (up.memory == Memory::average || config.sampler.memory.value_or(false))
    refuse("sampler.memory",
           "found true with coded messages; accepted: false, because with absent clients a memory changes the law");
  if (up.memory == Memory::feedback)
    refuse("sampler.compressor", "found \"coded\" with error feedback; accepted without it");
  if (config.model.temperature == 0)
    refuse("model.temperature",
           "found 0 with coded messages, whose errors are the noise of the steps; accepted: above 0");
  if (config.federation.on_missing == "skip")
    refuse("federation.on_missing",
           "found \"skip\" with coded messages: the errors of all clients that are drawn are needed as noise; "
           "accepted: \"wait\", \"abort\"");
  recipe.noise_share = config.sampler.noise_share;
}

}  // namespace pollen
