// Makes the neural network of a configuration, its prior and its starting weights (docs/networks.md).
#pragma once

#include "network/network.h"
#include "pollen/config.h"
#include "pollen/model.h"

namespace pollen {

// Adds the network to a model whose columns and classes are known. Throws ConfigError if the network does not fit them,
// or is not available in this build.
void add_network(const Config& config, ModelSpec& model);

// The prior of the weights: one standard deviation for all, or one per tensor. Any other number of them is a
// ConfigError.
Prior network_prior(const Config& config, std::span<const NetworkTensor> tensors);

// Draws the starting weights of a chain by the network's own rule, from the run's seed.
void draw_start(const Network& network, std::uint64_t seed, std::uint32_t chain, std::span<double> out);
// The start that all chains share, by run.init. "file:PATH" reads text, or little-endian float32 (.f32) or float64
// (.f64) words; "model" takes the weights that come with the network; the result is empty for other values. Throws
// ConfigError unless there is one number per coefficient.
std::vector<double> stored_start(const Config& config, const ModelSpec& model);

}  // namespace pollen
