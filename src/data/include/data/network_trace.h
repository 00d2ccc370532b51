// A measured network: a csv file with a row a client, in any order. Columns client (its name, as `pollen data` shows
// it), uplink_mbps, downlink_mbps, latency_ms, gradients_per_second and perhaps availability.
#pragma once

#include <string>
#include <vector>

namespace pollen {

struct TraceRow {
  double uplink_mbps = 0, downlink_mbps = 0, latency_ms = 0, gradients_per_second = 0;
  double availability = 1;
};

// In the order of `clients`. ConfigError naming file and row where the file is not what it should be.
std::vector<TraceRow> read_network_trace(const std::string& file, const std::vector<std::string>& clients);

}  // namespace pollen
