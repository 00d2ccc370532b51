// Reads a measured network from a csv file with one row per client, in any order. Its columns are client (the name that
// `pollen data` shows), uplink_mbps, downlink_mbps, latency_ms, gradients_per_second and optionally availability
// (docs/network-time.md). Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace pollen {

struct TraceRow {
  double uplink_mbps = 0, downlink_mbps = 0, latency_ms = 0, gradients_per_second = 0;
  double availability = 1;
};

// Returns the rows in the order of `clients`. Throws ConfigError naming file and row if the file is malformed.
std::vector<TraceRow> read_network_trace(const std::string& file, const std::vector<std::string>& clients);

}  // namespace pollen
