// The steps of reading and of complete() that live in files of their own.
#pragma once

#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/errors.h"
#include "reference/reference.h"

namespace pollen {

// A configuration's text with overrides, a store in it looked at or, where the text may be somebody else's, left alone.
enum class Stores { looked_at, left_alone };
Config read_layers(const std::string& text, const std::string& file, const std::string& folder,
                   const Overrides& overrides, Stores stores);
DataSpec stored_data(const std::string& file);               // the keys that a store was made with, without a source
void settle_stored(const DataSpec& stored, Config& config);  // ConfigError where a given key is another one

// What the theory allows: compressors that fit the channel, the memory's rate. ConfigError where a combination is
// wrong, a warning where it has no theory behind it.
void check_theory(Config& config, Index clients, Index dimension, Recipe& recipe, std::vector<std::string>& warnings);

// The averaging family's part of the recipe; nothing for the gradient family.
void complete_local(Config& config, const NamedSampler& named, Problems& problems, Recipe& recipe);
// What the averaging family allows, once links and participation are known.
void check_local(const Config& config, Problems& problems, const Recipe& recipe, std::vector<std::string>& warnings);

// A sampler of pollen/reference.h: its name is its recipe.
Recipe complete_reference(Config& config, const ReferenceSampler& reference, Problems& problems,
                          std::vector<std::string>& warnings);

// model.personal where the model is no network with a last layer that we know.
void check_last_layer(const Config& config, Problems& problems);
// A sampler of latents: its own part of the recipe, its defaults and [population]'s.
void complete_personal(Config& config, const NamedSampler& named, Problems& problems, Recipe& recipe);

// A baseline of pollen/baselines.h on a model with latents.
void refuse_sampler(const Config& config, Problems& problems);  // of latents on a model without, or the other way round
void complete_baseline(Config& config, Problems& problems, Recipe& recipe, std::vector<std::string>& warnings);

std::vector<std::string> model_kinds();
std::string last_layer_kinds();  // "mlp, lenet5": networks whose last layer can be each client's own
std::vector<std::string> sampler_names();
// Whether the sampler is a reference or a baseline, whose row names the keys of [sampler] that it reads; and whether it
// names `key`.
bool keys_in_row(const Config& config);
bool row_reads(const Config& config, const std::string& key);  // "max_depth"; false for other samplers

// Networks: defaults that differ, before anything is completed; what they need.
void set_network_defaults(Config& config);
void check_network(const Config& config, bool step_needed, Problems& problems);

// [privacy]'s defaults, where it is set and an accountant covers the sampler.
void complete_privacy(Config& config, const Recipe& recipe);

// [network]: its presets by name, and what was left out, where it is set.
std::vector<std::string> network_presets();
void complete_network_time(Config& config, Index dimension, std::vector<std::string>& warnings);

// Warns of the keys that were set and play no role, by their rows.
void list_unused(const Config& config, const Recipe& recipe, std::vector<std::string>& warnings);

}  // namespace pollen
