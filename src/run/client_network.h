// The connections and processors of the clients of a simulated network (docs/network-time.md). Speeds are log-normal
// over clients. They are computed from the seed when asked for, so a client costs no memory unless a trace describes
// it, and no draw of a sampler depends on them. Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/network_trace.h"
#include "pollen/config.h"
#include "pollen/random.h"

namespace pollen {

// How fast a client is during one exchange.
struct ClientPace {
  double uplink = 1, downlink = 1;  // bits per second
  double latency = 0;               // seconds, one way
  double speed = 1;                 // gradients per second
};

class ClientNetwork {
 public:
  // Takes a completed configuration. Throws ConfigError if its trace describes other clients.
  ClientNetwork(const Config& config, const ClientNames& clients);

  ClientPace pace(std::uint32_t client, std::uint64_t exchange) const;
  // Seconds from `now` until the client is available. Time is divided into cycles of window/availability seconds, with
  // an offset of the client's own. In each cycle the client is available for one window, which begins at a random
  // moment.
  double wait(std::uint32_t client, double now) const;
  double server_seconds() const { return server_seconds_; }

 private:
  // Multiplies the four numbers of a pace by factors exp(spread · z) with standard normal z.
  void scale(const Stream& address, const double (&spreads)[4], double (&numbers)[4]) const;
  // Where the window begins, as a fraction in [0, 1) of the time that the cycle leaves for its start.
  double start_in_cycle(std::uint32_t client, std::uint64_t cycle) const;

  double medians_[4] = {};  // uplink, downlink, latency, speed
  double spreads_[4] = {};
  double jitter_ = 0;
  double availability_ = 1, window_ = 3600;
  double server_seconds_ = 0;
  std::vector<TraceRow> trace_;  // one per client, or empty
  Stream stream_;
};

}  // namespace pollen
