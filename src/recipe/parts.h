// The steps of reading a configuration and of complete(), each defined in a file of its own. A step reports what is
// wrong through `problems` or as a ConfigError, and what is doubtful through `warnings`. The steps share no state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/errors.h"
#include "reference/reference.h"

namespace pollen {

// Reads a configuration's text and applies overrides. A data store that it names is opened (looked_at), unless the text
// may come from someone else (left_alone).
enum class Stores { looked_at, left_alone };
Config read_layers(const std::string& text, const std::string& file, const std::string& folder,
                   const Overrides& overrides, Stores stores);
DataSpec stored_data(const std::string& file);  // the [data] keys that a store was made with, without data.source
void take_stored_keys(const DataSpec& stored, Config& config);  // throws ConfigError if a given key differs

// Checks the recipe against the theory: whether the compressors fit their channels and which memory rate is allowed. A
// wrong combination is a ConfigError; one without a theorem behind it is a warning.
void check_theory(Config& config, Index clients, Index dimension, Recipe& recipe, std::vector<std::string>& warnings);

// Fills in the averaging family's part of the recipe. It does nothing for the gradient family.
void complete_local(Config& config, const NamedSampler& named, Problems& problems, Recipe& recipe);
// Checks what the averaging family allows. Call it once links and participation are known.
void check_local(const Config& config, Problems& problems, const Recipe& recipe, std::vector<std::string>& warnings);

// Completes a recipe whose messages are coded, and refuses what coded messages cannot do. Call it once links are known.
bool is_coded(const CompressorSpec& spec);
void complete_coded(const Config& config, Problems& problems, Recipe& recipe);

// Completes nuts, hmc or mala, whose messages are always those of docs/exact.md.
Recipe complete_exact(Config& config, Problems& problems, std::vector<std::string>& warnings);
// Completes a sampler of reference/reference.h, whose name alone determines its recipe.
Recipe complete_reference(Config& config, const ReferenceSampler& reference, Problems& problems,
                          std::vector<std::string>& warnings);

// Refuses model.personal unless the model is a network whose last layer is known.
void check_last_layer(const Config& config, Problems& problems);
// Completes a sampler of latents: its part of the recipe, its defaults and those of [population].
void complete_personal(Config& config, const NamedSampler& named, Problems& problems, Recipe& recipe);
// Completes hmc on a model with latents, whose recipe complete_exact() has made, and refuses the other exact samplers.
void complete_joint(Config& config, Problems& problems, Recipe& recipe);

// refuse_sampler reports a sampler of latents on a model without latents, and the reverse. complete_baseline completes
// a baseline of personal/baselines.h on a model with latents.
void refuse_sampler(const Config& config, Problems& problems);
void complete_baseline(Config& config, Problems& problems, Recipe& recipe, std::vector<std::string>& warnings);

std::vector<std::string> model_kinds();
bool model_reads(const Config& config, const std::string& key);  // whether the model's row names the key of [model]
std::string last_layer_kinds();  // networks whose last layer can be personal: "mlp, lenet5"
std::vector<std::string> sampler_names();
bool has_recipe(const Config& config);  // whether the sampler is made of a recipe: no reference and no baseline
bool row_reads(const Config& config, const std::string& key);  // whether the sampler's row names the key of [sampler]

// Sets the defaults of prior and start that depend on the model, after those of networks.
void set_model_defaults(Config& config);
// Sets the defaults of networks, before anything else is completed, and checks what networks need.
void set_network_defaults(Config& config);
void check_network(const Config& config, bool step_needed, Problems& problems);

// With [privacy], constant columns are looked for only if the user asks for it or if columns are standardised anyway.
void set_privacy_defaults(Config& config);
// Fills in the defaults of [privacy] if the section is set and an accountant covers the sampler.
void complete_privacy(Config& config, const Recipe& recipe);

// Fills in what was left out of [network], if the section is set.
void complete_network_time(Config& config, Index dimension, std::vector<std::string>& warnings);

// The values of the given keys as TOML, by the keys' paths.
using GivenValues = std::map<std::string, std::string>;
GivenValues given_values(const Config& config);
// Warns about every key that was set but has no effect, according to the key table. `given` was taken before `config`
// was completed.
void list_unused(const GivenValues& given, const Config& config, const Recipe& recipe, Index clients, Index dimension,
                 std::vector<std::string>& warnings);

}  // namespace pollen
