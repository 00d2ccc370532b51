// Completes [network] from its presets and defaults. docs/network-time.md says where the presets' numbers come from.
#include <fmt/format.h>

#include <algorithm>

#include "parts.h"
#include "reference/reference.h"

namespace pollen {

namespace {

struct Preset {
  const char* name;
  double uplink_mbps, downlink_mbps, latency_ms;
  double operations;  // floating-point operations per second
  double line_spread, latency_spread, speed_spread, jitter;
};

constexpr Preset kPresets[] = {
    {"phone", 2, 6, 50, 1e9, 1.0, 0.5, 0.5, 0.3},
    {"broadband", 10, 50, 15, 1e10, 0.7, 0.5, 0.5, 0.2},
    {"hospital", 100, 100, 10, 2e10, 0.5, 0.5, 0.3, 0.1},
    {"datacentre", 10000, 10000, 0.1, 1e12, 0.1, 0.1, 0.1, 0.05},
};

bool asked(const Config& config) {
  return std::ranges::any_of(config.given, [](const std::string& key) { return key.starts_with("network."); });
}

void fill(std::optional<double>& value, double with) {
  if (!value) value = with;
}

void fill_from(const Preset& preset, Index dimension, NetworkTimeConfig& n) {
  // Operations per row and coordinate of a gradient: two multiply-adds, one forward and one backward.
  constexpr double kOperations = 4;
  fill(n.uplink_mbps, preset.uplink_mbps);
  fill(n.downlink_mbps, preset.downlink_mbps);
  fill(n.latency_ms, preset.latency_ms);
  fill(n.gradients_per_second, preset.operations / (kOperations * static_cast<double>(std::max<Index>(1, dimension))));
  fill(n.uplink_spread, preset.line_spread);
  fill(n.downlink_spread, preset.line_spread);
  fill(n.latency_spread, preset.latency_spread);
  fill(n.gradients_spread, preset.speed_spread);
  fill(n.jitter_spread, preset.jitter);
}

}  // namespace

std::vector<std::string> network_presets() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

Config with_network(Config config, const std::string& preset, Index dimension) {
  config.network_time = {};
  config.network_time.preset = preset;
  config.given.insert("network.preset");
  std::vector<std::string> ignored;
  complete_network_time(config, dimension, ignored);
  return config;
}

bool keeps_network_time(const Config& config) {
  const ReferenceSampler* reference = is_mixed(config) ? nullptr : find_reference(config.sampler.name);
  return asked(config) && (reference == nullptr || reference->federated);
}

void complete_network_time(Config& config, Index dimension, std::vector<std::string>& warnings) {
  if (!asked(config)) return;
  if (!keeps_network_time(config))
    warnings.push_back(
        fmt::format("[network] is set but plays no role here: {} exchanges nothing with clients", config.sampler.name));
  NetworkTimeConfig& n = config.network_time;
  if (n.trace.empty()) {
    if (!n.preset) n.preset = "phone";
    for (const Preset& preset : kPresets)
      if (*n.preset == preset.name) fill_from(preset, dimension, n);
  }
  fill(n.jitter_spread, 0);
  fill(n.availability, 1);
  fill(n.window_seconds, 3600);
  fill(n.server_seconds, 0);
}

}  // namespace pollen
