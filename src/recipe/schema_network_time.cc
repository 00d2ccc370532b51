// The keys of [network]: the simulated one, of clients' lines and speeds (docs/network-time.md).
#include "parts.h"
#include "schema_sections.h"

namespace pollen {

// Optional without exception: a configuration that says nothing about a network is written out without the section.
std::vector<Key> network_time_keys() {
  constexpr Range kRate{.least = 1e-6, .most = 1e12};
  constexpr Range kSpread{.least = 0, .most = 5};
  const std::string rate = "a number from 1e-6 to 1e12", spread = "a number from 0 to 5 (the sd of the logarithm)";
  return {
      maybe_choice("network.preset", network_presets(), MAYBE(std::string, network_time.preset)),
      text("network.trace", "a path", AT(std::string, network_time.trace)),
      maybe_number("network.uplink_mbps", rate, kRate, MAYBE(double, network_time.uplink_mbps)),
      maybe_number("network.downlink_mbps", rate, kRate, MAYBE(double, network_time.downlink_mbps)),
      maybe_number("network.latency_ms", "a number from 0 to 1e9", {.least = 0, .most = 1e9},
                   MAYBE(double, network_time.latency_ms)),
      maybe_number("network.gradients_per_second", rate, kRate, MAYBE(double, network_time.gradients_per_second)),
      maybe_number("network.uplink_spread", spread, kSpread, MAYBE(double, network_time.uplink_spread)),
      maybe_number("network.downlink_spread", spread, kSpread, MAYBE(double, network_time.downlink_spread)),
      maybe_number("network.latency_spread", spread, kSpread, MAYBE(double, network_time.latency_spread)),
      maybe_number("network.gradients_spread", spread, kSpread, MAYBE(double, network_time.gradients_spread)),
      maybe_number("network.jitter_spread", spread, kSpread, MAYBE(double, network_time.jitter_spread)),
      maybe_number("network.availability", "a number from 1e-6 to 1", {.least = 1e-6, .most = 1},
                   MAYBE(double, network_time.availability)),
      maybe_number("network.window_seconds", "a number from 1e-3 to 1e9", {.least = 1e-3, .most = 1e9},
                   MAYBE(double, network_time.window_seconds)),
      maybe_number("network.server_seconds", "a number from 0 to 1e9", {.least = 0, .most = 1e9},
                   MAYBE(double, network_time.server_seconds)),
  };
}

}  // namespace pollen
