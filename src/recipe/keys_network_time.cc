// The keys of [network]: the simulated network with the clients' bandwidths, latencies and speeds
// (docs/network-time.md).
#include "key_kinds.h"
#include "parts.h"

namespace pollen {

// All keys are optional: without any of them, config.toml has no [network] section.
std::vector<Key> network_time_keys() {
  constexpr Range kRate{.least = 1e-6, .most = 1e12}, kSpread{.least = 0, .most = 5}, kTime{.least = 0, .most = 1e9};
  const std::string preset = "the preset's";
  std::vector<Key> rows = {
      choice("network.preset", network_presets(), AT(network_time.preset))
          .help("The kind of clients, which fills in what other keys leave out.")
          .absent("\"phone\""),
      text("network.trace", "a path", AT(network_time.trace))
          .help("A CSV file with the numbers of every client, in place of medians and spreads."),
      number("network.uplink_mbps", kRate, AT(network_time.uplink_mbps))
          .help("The median over clients of the rate to the server, in Mbit/s.")
          .absent(preset),
      number("network.downlink_mbps", kRate, AT(network_time.downlink_mbps))
          .help("The median over clients of the rate from the server, in Mbit/s.")
          .absent(preset),
      number("network.latency_ms", kTime, AT(network_time.latency_ms))
          .help("The median over clients of the delay in one direction, in milliseconds.")
          .absent(preset),
      number("network.gradients_per_second", kRate, AT(network_time.gradients_per_second))
          .help("The median over clients of how many rows' gradients a client computes per second.")
          .absent("the preset's, by the number of parameters"),
      number("network.uplink_spread", kSpread, AT(network_time.uplink_spread))
          .help("How much clients differ in their rate to the server: the sd of its logarithm.")
          .absent(preset),
      number("network.downlink_spread", kSpread, AT(network_time.downlink_spread))
          .help("How much clients differ in their rate from the server: the sd of its logarithm.")
          .absent(preset),
      number("network.latency_spread", kSpread, AT(network_time.latency_spread))
          .help("How much clients differ in their delay: the sd of its logarithm.")
          .absent(preset),
      number("network.gradients_spread", kSpread, AT(network_time.gradients_spread))
          .help("How much clients differ in their speed: the sd of its logarithm.")
          .absent(preset),
      number("network.jitter_spread", kSpread, AT(network_time.jitter_spread))
          .help("How much one client's times differ between exchanges: the sd of their logarithm.")
          .absent("the preset's; 0 with a trace"),
      number("network.availability", {.least = 1e-6, .most = 1}, AT(network_time.availability))
          .help("The share of the time that a client is there; the server waits for those who are away.")
          .absent("1"),
      number("network.window_seconds", {.least = 1e-3, .most = 1e9}, AT(network_time.window_seconds))
          .help("How long a client is there at a time, in seconds.")
          .absent("3600"),
      number("network.server_seconds", kTime, AT(network_time.server_seconds))
          .help("The server's own time per exchange, in seconds.")
          .absent("0"),
  };
  for (Key& key : rows) {
    const bool traced = key.path == "network.preset" || key.default_words.starts_with(preset);
    if (!traced || key.path == "network.jitter_spread") continue;
    key.when = {"without network.trace", [](const Config& c, const Recipe&) { return c.network_time.trace.empty(); }};
  }
  return rows;
}

}  // namespace pollen
