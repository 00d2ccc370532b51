// The schema's parts, a section of the configuration each, and what they share.
#pragma once

#include "key_kinds.h"
#include "schema.h"

#define AT(T, place) Member<T>([](Config& c) -> T& { return c.place; })
#define MAYBE(T, place) Member<std::optional<T>>([](Config& c) -> std::optional<T>& { return c.place; })

namespace pollen {

std::vector<Key> model_keys();
std::vector<Key> network_keys();
std::vector<Key> latent_keys();
std::vector<Key> population_keys();
std::vector<Key> data_keys();
std::vector<Key> partition_keys();
std::vector<Key> synthetic_mixed_keys();
std::vector<Key> sampler_keys();
std::vector<Key> reference_keys();
std::vector<Key> personal_keys();
std::vector<Key> baseline_keys();
std::vector<Key> network_time_keys();

// Written out only for the models that have latents.
std::vector<Key> only_mixed(std::vector<Key> keys);

inline const std::vector<std::string> kCompressors = {"identity", "qsgd", "top-k", "rand-k", "natural"};

}  // namespace pollen
