// A configuration's network.
#pragma once

#include "network/network.h"
#include "pollen/config.h"
#include "pollen/model.h"

namespace pollen {

// Once columns and classes are known. ConfigError where the network does not fit them, or is not to be had here.
void add_network(const Config& config, ModelSpec& model);

// One sd for all weights, or one a tensor. ConfigError for another number of them.
Prior network_prior(const Config& config, std::span<const NetworkTensor> tensors);

// Where a chain starts: by the network's own habit, from the run's seed.
void draw_start(const Network& network, std::uint64_t seed, std::uint32_t chain, std::span<double> out);
// Where all chains start, by run.init: numbers in a file ("file:PATH": text, or float32 (.f32) or float64 (.f64) words,
// little-endian), or the network's own ("model"); empty for other starts. ConfigError unless there is one a
// coefficient.
std::vector<double> stored_start(const Config& config, const ModelSpec& model);

}  // namespace pollen
